// AMD's compiler hipRTC, by the tools that compile Trellis' own kernels: a text becomes a bundle.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#define HIP_STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

struct Program {
    std::string text, code, log;
};

std::string contents_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Compiles in a folder of its own. Returns false if that fails.
bool compile(Program& program) {
    std::string folder = (std::filesystem::temp_directory_path() / "hiprtc_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return false;
    const std::filesystem::path made = folder;
    std::ofstream(made / "text.hip") << program.text;
    const int outcome = std::system(("sh " HIP_STAND_IN_COMPILES " " + folder + " 2> " + folder + "/log").c_str());
    program.log = contents_of(made / "log");
    program.code = contents_of(made / "text.bundle");
    std::filesystem::remove_all(made);
    return outcome == 0;
}

int copied(const std::string& from, char* to) {
    std::memcpy(to, from.data(), from.size());
    return 0;
}

}  // namespace

HIP_STAND_IN int hiprtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*,
                                     const char* const*) {
    *program = new Program{text, {}, {}};
    return 0;
}
HIP_STAND_IN int hiprtcDestroyProgram(Program** program) {
    delete *program;
    return 0;
}
HIP_STAND_IN int hiprtcCompileProgram(Program* program, int count, const char* const* options) {
    constexpr int invalid_option = 5, failure = 6;
    if (count != 1 || std::string_view(options[0]) != "--offload-arch=gfx90a:sramecc+:xnack-") return invalid_option;
    return compile(*program) ? 0 : failure;
}
HIP_STAND_IN int hiprtcGetCodeSize(Program* program, std::size_t* bytes) {
    *bytes = program->code.size();
    return 0;
}
HIP_STAND_IN int hiprtcGetCode(Program* program, char* code) { return copied(program->code, code); }
HIP_STAND_IN int hiprtcGetProgramLogSize(Program* program, std::size_t* bytes) {
    *bytes = program->log.size();
    return 0;
}
HIP_STAND_IN int hiprtcGetProgramLog(Program* program, char* log) { return copied(program->log, log); }
HIP_STAND_IN const char* hiprtcGetErrorString(int) { return "the stand-in of hipRTC refuses a call"; }
