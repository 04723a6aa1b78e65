/* Kernels as a user writes them in C. */
#ifndef TRELLIS_TESTS_C_KERNELS_H
#define TRELLIS_TESTS_C_KERNELS_H

#include <trellis/c/trellis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gravity with G = 1. Fields of i: position; of j: position mass; results: acceleration potential. of_user: the square
 * of the softening length, a double. */
trellis_kernel gravity_kernel;
trellis_kernel_d gravity_kernel_d;

/* The sum of mass times (1 - r/h)^2 over r < h, the h of i: any smooth weight will do. Fields of i: position length; of
 * j: position mass; results: weight. */
trellis_kernel gather_kernel;
/* The same for the larger h of i and j, or that of j alone. Fields of j: position mass length. */
trellis_kernel symmetric_kernel;
trellis_kernel scatter_kernel;

/* The number of j-particles within a cutoff, a double at of_user. Fields: position; results: count. */
trellis_kernel_d count_kernel;

/* The same, with the largest minus mass and the smallest distance of these j-particles. Fields of i: position; of j:
 * position mass; results: count max:largest min:nearest. */
trellis_kernel_d extremes_kernel;

#ifdef __cplusplus
}
#endif

#endif
