/* The calls of the GRAPE-3 library and of Remote-GRAPE (Nakasato, Mori & Nomoto 1997, section 3.2 and 4.2): gravity by
 * direct summation, and neighbours, on the device that the environment variable TRELLIS_GRAPE_DEVICE names (the first,
 * if it names several). Link with libtrellis_grape.
 *
 *     a_i = sum_j m_j (x_j - x_i) / (r_ij^2 + eps2)^(3/2),    p_i = sum_j m_j / sqrt(r_ij^2 + eps2)
 *
 * The potential is positive, and a pair of a particle with itself counts, as with GRAPE-5 (gp5util.h, which also has
 * the accuracy). Neighbours of particle i are the particles at r_ij < h_i, itself among them.
 *
 * The paper's names have the paper's sizes: single precision, neighbours of 2 bytes. Each has a twin that ends in _d,
 * in double precision; calls of both kinds can be mixed. Positions and accelerations of particle k are at x[3 k], y[3
 * k] and z[3 k], so that g3setdata(n, x, x + 1, x + 2) takes an array of 3 n numbers. Arrays are copied.
 *
 * Every call returns 0, or the number that its comment names; a call that fails returns one of the negative numbers
 * below, and prints a sentence to stderr. */
#ifndef TRELLIS_GRAPE_GRAPE3_H
#define TRELLIS_GRAPE_GRAPE3_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    G3_BAD_CALL = -1,           /* an argument, or a call before another that it needs */
    G3_TOO_MANY_NEIGHBORS = -2, /* more than the list has room for: nothing is written */
    G3_DEVICE_FAILED = -3
};

/* The scales of lengths and masses. They are checked, and not needed otherwise. */
int g3setscales(float length, float mass);
/* The square of the softening length; 0 at first. */
int g3seteps2(float eps2);
int g3seteps2_d(double eps2);

/* The original library: n particles, the position and mass of particle j (from 0), and the forces of all of them on n
 * i-particles. One call is one round trip to the device: give it many i-particles. */
int g3setn(int n);
int g3setxj(int j, const float* x);
int g3setxj_d(int j, const double* x);
int g3setm(int j, float mass);
int g3setm_d(int j, double mass);
int g3frc(const float* x, float* acc, float* pot, int n);
int g3frc_d(const double* x, double* acc, double* pot, int n);

/* Remote-GRAPE: masses, positions and neighbour radii h (not squared) of n particles. */
int g3setmass(int n, const float* mass);
int g3setmass_d(int n, const double* mass);
int g3setdata(int n, const float* x, const float* y, const float* z);
int g3setdata_d(int n, const double* x, const double* y, const double* z);
int g3seth2all(int n, const float* h);
int g3seth2all_d(int n, const double* h);

enum { G3_GRAVITY = 1, G3_GRAVITY_AND_NEIGHBORS = 2, G3_NEIGHBORS = 3 }; /* modes */
/* Computes forces of particles j0 to j1 on particles i0 to i1, counted from 1, or the neighbours of particles i0 to i1
 * among j0 to j1, or both, by the mode. The second call returns at once. */
int g3docalculation(int i0, int i1, int j0, int j1, int mode);
int g3docalculationpara(int i0, int i1, int j0, int j1, int mode);

/* Writes the computed forces of particles i0 to i1 of the n; entries of other particles are not changed. If there are
 * no forces, all n entries become NaN. All of these calls wait for the results. */
int g3getgravity(int n, float* ax, float* ay, float* az, float* pot);
int g3getgravity_d(int n, double* ax, double* ay, double* az, double* pot);
int g3getgravityasync(int n, float* ax, float* ay, float* az, float* pot);

/* The neighbours of all n particles, one list behind the other, and where in it the list of each begins: those of
 * particle k (from 1) are list[begin[k - 1] - 1] to list[begin[k] - 2], by number from 1. Particles outside i0 to i1
 * have none. Returns the number of entries in list.
 *
 * The paper's call: n is at most 65535, begin has n entries, and list has room for 100 n, as in the paper. */
int g3getneighbor(int n, unsigned short* list, int* begin);
int g3getneighborasync(int n, unsigned short* list, int* begin);
/* begin has n + 1 entries, and list has room for capacity. */
int g3getneighbor_d(int n, int* list, int capacity, int* begin);

#ifdef __cplusplus
}
#endif

#endif
