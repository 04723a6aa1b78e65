/* A Plummer sphere of 4,096 stars, whose gravity is a kernel of this program over a tree. In standard units, with total
 * mass 1 and an energy of about -1/4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <trellis/c/trellis.h>

enum { n = 4096 };
static const double timestep = 1.0 / 128, until = 0.5;
static float softening = 1.0F / 64;

/* Adds the pulls of the j-particles (x, y, z, mass) on the i-particles (x, y, z) to their accelerations and potentials.
 * The loop over j is one of vectors if the compiler may reorder sums: gcc -O3 -march=native -ffast-math. */
static void gravity(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                    const float* j, float* results) {
    const float eps = *(const float*)of_user;
    const float *x = j, *y = j + stride_j, *z = j + 2 * stride_j, *m = j + 3 * stride_j;
    for (size_t k = 0; k < n_i; ++k) {
        float ax = 0, ay = 0, az = 0, phi = 0;
        for (size_t l = 0; l < n_j; ++l) {
            const float dx = x[l] - i[k], dy = y[l] - i[stride_i + k], dz = z[l] - i[2 * stride_i + k];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + eps * eps);
            const float pull = m[l] * inverse, scale = pull * inverse * inverse;
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

static void check(int code) {
    if (code == 0) return;
    fprintf(stderr, "%s\n", trellis_error());
    exit(code);
}

static double drawn(double low, double high) { return low + (high - low) * ((double)rand() / RAND_MAX); }

static void isotropic(double length, double* to) {
    const double z = drawn(-1, 1), angle = drawn(0, 2 * acos(-1)), ring = sqrt(1 - z * z);
    to[0] = length * ring * cos(angle);
    to[1] = length * ring * sin(angle);
    to[2] = length * z;
}

/* After Aarseth, Henon & Wielen 1974. */
static void make_plummer_sphere(trellis_particles* stars) {
    double *x, *v, *m;
    check(trellis_column(stars, "position", 3, &x));
    check(trellis_column(stars, "velocity", 3, &v));
    check(trellis_column(stars, "mass", 1, &m));
    const double scale = 3 * acos(-1) / 16;
    for (int k = 0; k < n; ++k) {
        const double r = 1 / sqrt(pow(drawn(0.001, 0.999), -2.0 / 3) - 1);
        double speed, height;
        do {
            speed = drawn(0, 1);
            height = drawn(0, 0.1);
        } while (height > speed * speed * pow(1 - speed * speed, 3.5));
        isotropic(scale * r, x + 3 * k);
        isotropic(speed * sqrt(2 / scale) * pow(1 + r * r, -0.25), v + 3 * k);
        m[k] = 1.0 / n;
    }
}

static double energy(trellis_simulation* simulation) {
    double kinetic, potential;
    check(trellis_energies(simulation, &kinetic, &potential));
    return kinetic + potential;
}

int main(void) {
    trellis_particles* stars;
    trellis_force* force;
    trellis_simulation* simulation;
    check(trellis_particles_new(n, &stars));
    make_plummer_sphere(stars);
    check(trellis_tree_force(stars, "position", "position mass", "acceleration potential", gravity, &softening, 0.5, 0,
                             0, &force));
    check(trellis_simulation_new(stars, timestep, &simulation));
    check(trellis_add_force(simulation, force));

    double error;
    check(trellis_force_error(simulation, 200, &error));
    const double first = energy(simulation);
    check(trellis_run_until(simulation, until));
    const double change = energy(simulation) / first - 1;
    printf("error of forces %.1e, energy %.4f, changed by %.1e\n", error, first, change);

    trellis_simulation_free(simulation);
    trellis_force_free(force);
    trellis_particles_free(stars);
    return error < 1e-2 && fabs(change) < 1e-4 ? 0 : 1;
}
