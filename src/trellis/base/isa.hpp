// Instruction sets. Kernel sources (*_kernel.cpp) are compiled once for each set, with TRELLIS_ISA naming it. Their
// inline definitions live in a namespace of that name, so that the linker never mixes code of two sets.
#pragma once

#ifndef TRELLIS_ISA
#define TRELLIS_ISA native  // a user's own source: one instruction set, whatever its compiler flags say
#endif

#define TRELLIS_ISA_BEGIN inline namespace TRELLIS_ISA {
#define TRELLIS_ISA_END }

#if !defined(__x86_64__) && !defined(TRELLIS_ONLY_ISA)
#define TRELLIS_ONLY_ISA native
#endif

// TRELLIS_DECLARE_VARIANTS declares a kernel function for every set, and TRELLIS_VARIANT picks the variant to run; both
// inside namespace trellis. If the library was built for one set alone (CMake's TRELLIS_NATIVE), TRELLIS_ONLY_ISA names
// it.
#if defined(TRELLIS_ONLY_ISA)
#define TRELLIS_DECLARE_VARIANTS(declaration) \
    inline namespace TRELLIS_ONLY_ISA {       \
    declaration;                              \
    }
#define TRELLIS_VARIANT(name) (&TRELLIS_ONLY_ISA::name)
#else
#define TRELLIS_DECLARE_VARIANTS(declaration) \
    inline namespace v2 {                     \
    declaration;                              \
    }                                         \
    inline namespace v3 {                     \
    declaration;                              \
    }                                         \
    inline namespace v4 {                     \
    declaration;                              \
    }
#define TRELLIS_VARIANT(name) (chosen_isa() == Isa::v4 ? &v4::name : chosen_isa() == Isa::v3 ? &v3::name : &v2::name)
#endif

namespace trellis {

// The levels of the x86-64 psABI: v2 has SSE4.2, v3 AVX2 and FMA, v4 AVX-512. native on other processors.
enum class Isa { native, v2, v3, v4 };

// The highest set that this machine can run and the library was built for, or the one that the environment variable
// TRELLIS_SIMD names (v2, v3, v4). Throws InputError if no set of the library runs here, or if the variable names
// anything else, or more than the machine can run.
Isa chosen_isa();

// "v4 (AVX-512)" and so on.
const char* isa_name(Isa isa);

}  // namespace trellis
