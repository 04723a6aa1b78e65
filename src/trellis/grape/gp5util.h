/* The GRAPE-5 calls, which Phantom-GRAPE has as well: gravity by direct summation on the device that the environment
 * variable TRELLIS_GRAPE_DEVICE names. Link with libtrellis_grape.
 *
 *     a_i = sum_j m_j (x_j - x_i) / (r_ij^2 + eps^2)^(3/2),    p_i = sum_j m_j / sqrt(r_ij^2 + eps^2)
 *
 * The potential is positive, and a pair of a particle with itself counts: m / eps. Two particles at one place with
 * eps = 0 do not act on each other. There is no gravitational constant. Positions are doubles, of which 48 bits count;
 * the rest of a pair is computed in single precision. The root mean square of the errors of forces is below 1e-6 of
 * that of the forces (some 1e-7), and the error of each is below 1e-6 of the sum of the magnitudes of all pulls on it.
 *
 * The calls that end in MC take the number of a board (0 to 1023) and may come from several threads at once, one for
 * each board; the others are for board 0. A board has a memory of its own; where TRELLIS_GRAPE_DEVICE names several
 * devices, with commas, board k is on device k modulo their number.
 *
 * A call that fails prints a sentence to stderr, and its forces are NaN. */
#ifndef TRELLIS_GRAPE_GP5UTIL_H
#define TRELLIS_GRAPE_GP5UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

/* j-particles that a board holds. */
#define JMEMSIZE (1 << 20)

/* Opens the device, so that a wrong name is found here. Other calls open it if necessary. */
void g5_open(void);
/* Releases all boards; no other call may be under way. */
void g5_close(void);

/* A good number of i-particles for g5_set_xi; more are allowed. */
int g5_get_number_of_pipelines(void);
/* JMEMSIZE. */
int g5_get_jmemsize(void);

/* The range of coordinates and the least mass. They are checked, and not needed otherwise. */
void g5_set_range(double xmin, double xmax, double mmin);
/* The softening length of all particles on all boards; 0 at first. */
void g5_set_eps_to_all(double eps);

/* The number of j-particles that act: those with numbers 0 to n - 1. */
void g5_set_n(int n);
void g5_set_nMC(int devid, int n);

/* Takes the j-particles with numbers adr to adr + nj - 1 from these arrays, which begin with particle 0. They are
 * copied: the arrays may change afterwards. */
void g5_set_xmj(int adr, int nj, double (*xj)[3], double* mj);
void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj);

/* Takes the positions of ni i-particles; g5_run starts their forces and returns; g5_get_force waits for them. */
void g5_set_xi(int ni, double (*xi)[3]);
void g5_set_xiMC(int devid, int ni, double (*xi)[3]);
void g5_run(void);
void g5_runMC(int devid);
void g5_get_force(int ni, double (*a)[3], double* p);
void g5_get_forceMC(int devid, int ni, double (*a)[3], double* p);

/* All three in one, for any number of i-particles. */
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni);

#ifdef __cplusplus
}
#endif

#endif
