#include "kernels_ran_checks.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/devices/gpu/clang_modules.hpp"

using namespace trellis;

#ifdef TRELLIS_CLANG_SOURCES

namespace {

// The name and the template arguments, without the types of results and parameters.
std::string readable(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
    if (text == nullptr) return mangled;
    std::string name = text.get();
    for (const std::string_view left_out : {"void ", "trellis::", "clang::", "native::", "(anonymous namespace)::"})
        for (std::size_t at; (at = name.find(left_out)) != std::string::npos;) name.erase(at, left_out.size());
    int depth = 0;
    for (std::size_t k = 0; k < name.size(); ++k) {
        if (name[k] == '<') ++depth;
        if (name[k] == '>') --depth;
        if (name[k] == '(' && depth == 0) return name.substr(0, k);
    }
    return name;
}

}  // namespace

void check_kernels_ran(Checks& checks) {
    std::vector<ClangKernel> kernels = clang_kernels();
    std::ranges::sort(kernels, {}, &ClangKernel::name);
    std::set<const std::byte*> bundles;
    for (const ClangKernel& kernel : kernels) {
        bundles.insert(kernel.bundle);
        checks.that(kernel.launched, "kernel " + readable(kernel.name), kernel.launched ? "ran" : "never ran");
    }
    checks.that(bundles.size() == TRELLIS_CLANG_SOURCES, "sources whose kernels are in this program",
                std::to_string(bundles.size()) + " of " + std::to_string(TRELLIS_CLANG_SOURCES) + ", with " +
                    std::to_string(kernels.size()) + " kernels");
}

#else  // built without OpenCL and HIP, which have no such device

void check_kernels_ran(Checks&) {}

#endif
