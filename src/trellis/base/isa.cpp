#include "trellis/base/isa.hpp"

#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

#if defined(TRELLIS_ONLY_ISA)
constexpr Isa built[] = {Isa::TRELLIS_ONLY_ISA};
#else
constexpr Isa built[] = {Isa::v4, Isa::v3, Isa::v2};
#endif

Isa best_isa() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        return Isa::v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return Isa::v3;
    return Isa::v2;
#else
    return Isa::native;
#endif
}

Isa choose() {
    const char* wanted = std::getenv("TRELLIS_SIMD");
    const bool any = wanted == nullptr || *wanted == '\0';
    const Isa best = best_isa();
    for (const Isa isa : built)
        if (isa <= best && (any || std::string_view(isa_name(isa)).substr(0, 2) == wanted)) return isa;
    const std::string reason =
        any ? "no instruction set fits" : std::string("the environment variable TRELLIS_SIMD is '") + wanted + "'";
    const std::string only =
        std::size(built) > 1 ? "" : std::string(", and Trellis was built for ") + isa_name(built[0]) + " alone";
    throw InputError(reason + ": this machine can run up to " + isa_name(best) + only);
}

}  // namespace

Isa chosen_isa() {
    static const Isa isa = choose();
    return isa;
}

const char* isa_name(Isa isa) {
    switch (isa) {
        case Isa::v4:
            return "v4 (AVX-512)";
        case Isa::v3:
            return "v3 (AVX2, FMA)";
        case Isa::v2:
            return "v2 (SSE4.2)";
        case Isa::native:
            break;
    }
    return "native";
}

}  // namespace trellis
