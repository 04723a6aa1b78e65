#include "trellis/base/isa.hpp"

#include <cstdlib>
#include <string_view>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

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
    const Isa best = best_isa();
    if (wanted == nullptr || *wanted == '\0') return best;
    for (const Isa isa : {Isa::v2, Isa::v3, Isa::v4})
        if (isa <= best && std::string_view(isa_name(isa)).substr(0, 2) == wanted) return isa;
    throw InputError(std::string("the environment variable TRELLIS_SIMD is '") + wanted +
                     "': this machine can run up to " + isa_name(best));
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
