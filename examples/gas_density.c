/* The density of 8,000 gas particles in a periodic cube, by a kernel of this program over a search radius. The radius
 * of each particle follows its density: about 57 particles are within it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <trellis/c/trellis.h>

enum { side = 20, n = side * side * side };

/* Wendland's C2 kernel in three dimensions (Dehnen & Aly 2012, table 1), 0 at r >= h, where its formula is not. */
static float wendland(float r, float h) {
    const float q = fminf(r / h, 1), rest = (1 - q) * (1 - q);
    return 3.342254F / (h * h * h) * rest * rest * (1 + 4 * q);
}

/* Adds mass times W(r, h) of the j-particles (x, y, z, mass) to the densities of the i-particles (x, y, z, h). */
static void density(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                    const float* j, float* results) {
    const float *x = j, *y = j + stride_j, *z = j + 2 * stride_j, *m = j + 3 * stride_j, *h = i + 3 * stride_i;
    (void)of_user;
    for (size_t k = 0; k < n_i; ++k) {
        float sum = 0;
        for (size_t l = 0; l < n_j; ++l) {
            const float dx = x[l] - i[k], dy = y[l] - i[stride_i + k], dz = z[l] - i[2 * stride_i + k];
            sum += m[l] * wendland(sqrtf(dx * dx + dy * dy + dz * dz), h[k]);
        }
        results[k] += sum;
    }
}

static void check(int code) {
    if (code == 0) return;
    fprintf(stderr, "%s\n", trellis_error());
    exit(code);
}

/* The density at particle k by all others, and by itself. */
static double direct_sum(int k, const double* x, const double* m, double h) {
    double sum = 0;
    for (int l = 0; l < n; ++l) {
        double r2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double d = x[3 * l + axis] - x[3 * k + axis];
            r2 += (d - round(d)) * (d - round(d));
        }
        sum += m[l] * wendland((float)sqrt(r2), (float)h);
    }
    return sum;
}

int main(void) {
    trellis_particles* gas;
    trellis_force* force;
    trellis_simulation* simulation;
    double *x, *m, *h, *rho;
    const double low[] = {0, 0, 0}, high[] = {1, 1, 1};
    check(trellis_particles_new(n, &gas));
    check(trellis_set_box(gas, low, high));
    check(trellis_column(gas, "position", 3, &x));
    check(trellis_column(gas, "mass", 1, &m));
    check(trellis_column(gas, "radius", 1, &h));
    check(trellis_column(gas, "density", 1, &rho));
    for (int k = 0; k < n; ++k) {
        const int cell[] = {k % side, k / side % side, k / side / side};
        for (int axis = 0; axis < 3; ++axis) x[3 * k + axis] = (cell[axis] + 0.3 * rand() / RAND_MAX) / side;
        m[k] = 1.0 / n;
        h[k] = 2.4 / side;
    }
    check(trellis_search_force(gas, "position radius", "position mass", "density", density, NULL, "radius",
                               TRELLIS_GATHER, &force));
    check(trellis_simulation_new(gas, 1, &simulation));
    check(trellis_add_force(simulation, force));

    for (int round = 0; round < 4; ++round) {
        check(trellis_compute_forces(simulation));
        for (int k = 0; k < n; ++k) {
            rho[k] += m[k] * wendland(0, (float)h[k]); /* by itself */
            if (round < 3) h[k] = 2.4 * cbrt(m[k] / rho[k]);
        }
    }
    double mean = 0, error = 0;
    for (int k = 0; k < n; ++k) mean += rho[k] / n;
    for (int k = 0; k < n; k += n / 20) error = fmax(error, fabs(rho[k] / direct_sum(k, x, m, h[k]) - 1));
    printf("mean density %.3f, largest error %.1e\n", mean, error);

    trellis_simulation_free(simulation);
    trellis_force_free(force);
    trellis_particles_free(gas);
    return fabs(mean - 1) < 0.05 && error < 1e-5 ? 0 : 1;
}
