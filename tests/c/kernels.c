#include "c/kernels.h"

#include <math.h>

void gravity_kernel(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                    const float* j, float* results) {
    const float eps2 = (float)*(const double*)of_user;
    const float *x = j, *y = j + stride_j, *z = j + 2 * stride_j, *m = j + 3 * stride_j;
    for (size_t k = 0; k < n_i; ++k) {
        float ax = 0, ay = 0, az = 0, phi = 0;
        for (size_t l = 0; l < n_j; ++l) {
            const float dx = x[l] - i[k], dy = y[l] - i[stride_i + k], dz = z[l] - i[2 * stride_i + k];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + eps2), pull = m[l] * inverse;
            const float scale = pull * inverse * inverse;
            ax += scale * dx;
            ay += scale * dy;
            az += scale * dz;
            phi -= pull;
        }
        results[k] += ax;
        results[stride_i + k] += ay;
        results[2 * stride_i + k] += az;
        results[3 * stride_i + k] += phi;
    }
}

void gravity_kernel_d(void* of_user, size_t n_i, size_t stride_i, const double* i, size_t n_j, size_t stride_j,
                      const double* j, double* results) {
    const double eps2 = *(const double*)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l) {
            double d[3], r2 = eps2;
            for (size_t c = 0; c < 3; ++c) {
                d[c] = j[c * stride_j + l] - i[c * stride_i + k];
                r2 += d[c] * d[c];
            }
            const double m = j[3 * stride_j + l], r = sqrt(r2);
            for (size_t c = 0; c < 3; ++c) results[c * stride_i + k] += m * d[c] / (r2 * r);
            results[3 * stride_i + k] -= m / r;
        }
}

static float distance(const float* i, size_t stride_i, const float* j, size_t stride_j) {
    const float dx = j[0] - i[0], dy = j[stride_j] - i[stride_i], dz = j[2 * stride_j] - i[2 * stride_i];
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

static float weight(float mass, float r, float h) { return r < h ? mass * (1 - r / h) * (1 - r / h) : 0; }

void gather_kernel(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                   const float* j, float* results) {
    (void)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l)
            results[k] += weight(j[3 * stride_j + l], distance(i + k, stride_i, j + l, stride_j), i[3 * stride_i + k]);
}

void symmetric_kernel(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                      const float* j, float* results) {
    (void)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l)
            results[k] += weight(j[3 * stride_j + l], distance(i + k, stride_i, j + l, stride_j),
                                 fmaxf(i[3 * stride_i + k], j[4 * stride_j + l]));
}

void scatter_kernel(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                    const float* j, float* results) {
    (void)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l)
            results[k] += weight(j[3 * stride_j + l], distance(i + k, stride_i, j + l, stride_j), j[4 * stride_j + l]);
}

void count_kernel(void* of_user, size_t n_i, size_t stride_i, const double* i, size_t n_j, size_t stride_j,
                  const double* j, double* results) {
    const double cutoff = *(const double*)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l) {
            double r2 = 0;
            for (size_t c = 0; c < 3; ++c)
                r2 += (j[c * stride_j + l] - i[c * stride_i + k]) * (j[c * stride_j + l] - i[c * stride_i + k]);
            if (r2 < cutoff * cutoff) results[k] += 1;
        }
}

void extremes_kernel(void* of_user, size_t n_i, size_t stride_i, const double* i, size_t n_j, size_t stride_j,
                     const double* j, double* results) {
    const double cutoff = *(const double*)of_user;
    for (size_t k = 0; k < n_i; ++k)
        for (size_t l = 0; l < n_j; ++l) {
            const double dx = j[l] - i[k], dy = j[stride_j + l] - i[stride_i + k],
                         dz = j[2 * stride_j + l] - i[2 * stride_i + k], r = sqrt(dx * dx + dy * dy + dz * dz);
            if (r >= cutoff) continue;
            results[k] += 1;
            results[stride_i + k] = fmax(results[stride_i + k], -j[3 * stride_j + l]);
            results[2 * stride_i + k] = fmin(results[2 * stride_i + k], r);
        }
}
