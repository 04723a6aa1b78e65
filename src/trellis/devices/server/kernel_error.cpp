#include "trellis/devices/server/kernel_error.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace trellis {

namespace {

// The type in the name of a kernel, as the source has it; empty without one. A type's name stands at the beginning
// of the kernel's, or behind a word of it, and ends at a point or with the kernel's name.
std::string type_in(const std::string& kernel) {
    std::size_t begin = 0;
    for (const std::string_view word : {"systems ", "external."})
        if (kernel.starts_with(word)) begin = word.size();
    const std::string mangled = kernel.substr(begin, kernel.find('.', begin) - begin);
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    // a name of one letter is that of a type such as int
    return status == 0 && mangled.size() > 1 ? text.get() : "";
}

}  // namespace

std::string missing_kernel(const std::string& kernel) {
    const std::string type = type_in(kernel);
    if (type.empty()) return "has no kernel '" + kernel + "'";
    return "has no kernel of the interaction " + type +
           ": its server needs --kernels with a library that has TRELLIS_PROVIDE_KERNELS(" + type + ")";
}

}  // namespace trellis
