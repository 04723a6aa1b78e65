#include "gravity/in_c/pulls.h"

#include <math.h>

const char* const pulls_compiler = __VERSION__;

void add_pulls(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j, const float* j,
               float* results) {
    const float eps = *(const float*)of_user;
    const float *x = j, *y = j + stride_j, *z = j + 2 * stride_j, *m = j + 3 * stride_j;
    for (size_t k = 0; k < n_i; ++k) {
        float ax = 0, ay = 0, az = 0, phi = 0;
        for (size_t l = 0; l < n_j; ++l) {
            const float dx = x[l] - i[k], dy = y[l] - i[stride_i + k], dz = z[l] - i[2 * stride_i + k];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + eps * eps), pull = m[l] * inverse;
            ax += pull * inverse * inverse * dx;
            ay += pull * inverse * inverse * dy;
            az += pull * inverse * inverse * dz;
            phi -= pull;
        }
        results[k] += ax;
        results[stride_i + k] += ay;
        results[2 * stride_i + k] += az;
        results[3 * stride_i + k] += phi;
    }
}
