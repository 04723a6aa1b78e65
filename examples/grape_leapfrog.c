/* A Plummer sphere of 4,096 bodies by leapfrog and the GRAPE-5 calls: the program that users of GRAPE know. In standard
 * units, with total mass 1 and an energy of about -1/4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <trellis/grape/gp5util.h>

enum { n = 4096 };
static const double eps = 1.0 / 64, dt = 1.0 / 128, until = 0.5;

static double x[n][3], v[n][3], a[n][3], m[n], p[n];

static double drawn(double low, double high) { return low + (high - low) * ((double)rand() / RAND_MAX); }

static void isotropic(double length, double to[3]) {
    const double z = drawn(-1, 1), angle = drawn(0, 2 * acos(-1)), ring = sqrt(1 - z * z);
    to[0] = length * ring * cos(angle);
    to[1] = length * ring * sin(angle);
    to[2] = length * z;
}

/* After Aarseth, Henon & Wielen 1974. */
static void plummer(void) {
    const double scale = 3 * acos(-1) / 16;
    for (int i = 0; i < n; ++i) {
        const double r = 1 / sqrt(pow(drawn(0.001, 0.999), -2.0 / 3) - 1);
        double speed, height;
        do {
            speed = drawn(0, 1);
            height = drawn(0, 0.1);
        } while (height > speed * speed * pow(1 - speed * speed, 3.5));
        isotropic(scale * r, x[i]);
        isotropic(speed * sqrt(2 / scale) * pow(1 + r * r, -0.25), v[i]);
        m[i] = 1.0 / n;
    }
}

static void forces(void) {
    g5_set_xmj(0, n, x, m);
    g5_set_n(n);
    g5_calculate_force_on_x(x, a, p, n);
}

static double energy(void) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        for (int axis = 0; axis < 3; ++axis) sum += 0.5 * m[i] * v[i][axis] * v[i][axis];
        sum -= 0.5 * m[i] * (p[i] - m[i] / eps); /* p is positive and has the pair of i with itself */
    }
    return sum;
}

static void kick(double time) {
    for (int i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) v[i][axis] += time * a[i][axis];
}

static void drift(double time) {
    for (int i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) x[i][axis] += time * v[i][axis];
}

int main(void) {
    plummer();
    g5_open();
    g5_set_range(-64, 64, m[0]);
    g5_set_eps_to_all(eps);
    forces();
    const double first = energy();
    for (double time = 0; time < until; time += dt) {
        kick(dt / 2);
        drift(dt);
        forces();
        kick(dt / 2);
    }
    g5_close();
    printf("energy %.4f, changed by %.1e\n", energy(), energy() / first - 1);
    return fabs(energy() / first - 1) < 1e-4 ? 0 : 1;
}
