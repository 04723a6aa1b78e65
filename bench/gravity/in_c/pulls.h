/* Gravity as a user writes it in C; of_user: the softening length, a float. */
#ifndef TRELLIS_BENCH_GRAVITY_IN_C_PULLS_H
#define TRELLIS_BENCH_GRAVITY_IN_C_PULLS_H

#include <trellis/c/trellis.h>

#ifdef __cplusplus
extern "C" {
#endif

trellis_kernel add_pulls;
extern const char* const pulls_compiler;

#ifdef __cplusplus
}
#endif

#endif
