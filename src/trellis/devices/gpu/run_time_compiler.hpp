// Compilers of CUDA's language in a library, found when the program runs: NVRTC of NVIDIA, and AMD's hipRTC, whose
// functions have the same parameters. A kernel as text becomes machine code of a GPU.
#pragma once

#include <initializer_list>
#include <string>

namespace trellis {

// The words of kernel_text.hpp that mean the same in both languages.
extern const char* const words_of_cuda;

class RunTimeCompiler {
  public:
    // name: for people. libraries: names to look for, of which the first that there is counts. prefix: that of its
    // functions. code: the end of the name of the function that gives the machine code.
    RunTimeCompiler(std::string name, std::initializer_list<std::string> libraries, const std::string& prefix,
                    const std::string& code);

    // True if this machine has the library.
    bool there() const { return error_ != nullptr; }

    // Machine code of a text. Throws RunError with the compiler's message.
    std::string compiled(const std::string& text, const std::string& option) const;

  private:
    class Program;
    void check(int result) const;

    std::string name_;
    int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*compile_)(void*, int, const char* const*) = nullptr;
    int (*destroy_)(void**) = nullptr;
    int (*code_bytes_)(void*, std::size_t*) = nullptr;
    int (*code_)(void*, char*) = nullptr;
    int (*log_bytes_)(void*, std::size_t*) = nullptr;
    int (*log_)(void*, char*) = nullptr;
    const char* (*error_)(int) = nullptr;  // the last to be found; null if any is missing
};

}  // namespace trellis
