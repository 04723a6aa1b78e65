/* Trellis for programs in C and Fortran (trellis.f90): particles, forces from a kernel over arrays of i- and
 * j-particles or from an interaction in Python, and steps. Link with libtrellis_c.
 *
 * Every call that returns int returns 0, or one of the numbers below, and then trellis_error() has the sentence that
 * says why; nothing is printed. Units are those of the particles: any system will do, with G in the kernel.
 *
 * Handles are freed in any order: a simulation keeps its particles and its forces. Freeing a null pointer does nothing.
 * Calls for one handle are made by one thread at a time. */
#ifndef TRELLIS_C_TRELLIS_H
#define TRELLIS_C_TRELLIS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TRELLIS_RUN_ERROR = 1,  /* the run itself failed */
    TRELLIS_INPUT_ERROR = 2 /* an argument or a value of a particle cannot be used */
};
/* The sentence of the last error of this thread, until its next one; empty if there was none. */
const char* trellis_error(void);

/* The number of threads that the calls of this thread use: 1 or more. At first those of OpenMP. */
int trellis_set_threads(int count);

/* --- Particles: a column of doubles for each field (FDPS: FP) --- */

typedef struct trellis_particles trellis_particles;

/* Particles with the columns position, velocity and acceleration (3 components), mass and potential (1), all zero, and
 * the ids 0, 1, ... */
int trellis_particles_new(int64_t count, trellis_particles** particles);
void trellis_particles_free(trellis_particles* particles);
int trellis_particles_count(const trellis_particles* particles, int64_t* count);

/* The column of this name, which is added with zeros if it is not there: component c of row k is
 * values[k * components + c]. components: 1 or 3. The pointer stays good as long as the particles, on one rank; but a
 * step may put the rows of all columns into another order, so that near particles are near in memory. Row k then
 * belongs to the particle ids[k]. */
int trellis_column(trellis_particles* particles, const char* name, int components, double** values);
int trellis_ids(trellis_particles* particles, const uint64_t** ids);

/* A box that is periodic along each axis with finite faces, low < high; both faces are infinite along the others. */
int trellis_set_box(trellis_particles* particles, const double low[3], const double high[3]);

/* --- Devices --- */

typedef struct trellis_devices trellis_devices;

/* The devices of these names, with spaces between them, which share a force: cuda:0 or opencl:0, a GPU; cpu, this
 * processor as a device; trellis://HOST/cuda:0, one of another machine (trellis serve); auto, the first GPU of this
 * machine, else host; or host alone, the threads of this process. Forces that are given the same handle use the same
 * memory and queues. A force that is given a null pointer is computed by the threads of this process. */
int trellis_devices_open(const char* names, trellis_devices** devices);
void trellis_devices_free(trellis_devices* devices);

/* --- Forces --- */

typedef struct trellis_force trellis_force;

/* A kernel adds the effect of all n_j j-particles on each of the n_i i-particles. Component c of i-particle k is
 * i[c * stride_i + k], of j-particle k j[c * stride_j + k], of the result on i-particle k results[c * stride_i + k]; so
 * i, j and results are a table each, which Fortran declares as i(stride_i, *). The components are those of the fields
 * that the force names, in that order: position is components 0, 1, 2, relative to a point near the i-particles, so
 * that single precision suffices. Results are sums over a part of the j-particles alone, so the kernel adds, and what
 * depends on the whole sum is left to the program. The three arrays do not overlap.
 *
 * The library calls it with no particle among its own j-particles: pairs at distance zero are two particles. Several
 * threads call it at once. of_user is the pointer that the force was made with.
 *
 * Single precision is the faster: as many pairs again in each instruction. Calls with _d take the same in double. */
typedef void trellis_kernel(void* of_user, size_t n_i, size_t stride_i, const float* i, size_t n_j, size_t stride_j,
                            const float* j, float* results);
typedef void trellis_kernel_d(void* of_user, size_t n_i, size_t stride_i, const double* i, size_t n_j, size_t stride_j,
                              const double* j, double* results);

/* In the calls below i_fields and j_fields name what the kernel reads of an i-particle (FDPS: EPI) and of a j-particle
 * (EPJ), results what it sums (FORCE): columns that the particles have, with spaces between them. The first of i_fields
 * and j_fields is position. Results begin at 0, so that they cannot be velocity or mass. Several forces of a simulation
 * may add to the same results.
 *
 * Within a cutoff or a search radius, names of results may have max: or min: in front, behind those of all sums: a
 * kernel raises or lowers such a result to the largest or smallest value of its pairs, results[k] = fmaxf(results[k],
 * x). It is 0 for a particle without any. */

/* A force of long range by a tree (Barnes & Hut 1986, Barnes 1990). Far cells act as superparticles (FDPS: SPJ): a
 * j-particle at the cell's centre, weighted by the absolute value of the first of j_fields after position, with the
 * sums of its particles' other fields. theta: opening angle, above 0 and below 2; 0: 0.5. group_size: most i-particles
 * of a call (FDPS: n_grp); leaf_size: most particles of a leaf (FDPS: n_leaf); 0: the library's choice. */
int trellis_tree_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                       const char* results, trellis_kernel* kernel, void* of_user, double theta, int group_size,
                       int leaf_size, trellis_force** force);
int trellis_tree_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel_d* kernel, void* of_user, double theta, int group_size,
                         int leaf_size, trellis_force** force);

/* A force between particles within a cutoff. Lists of j-particles go a little beyond it: a pair farther apart must add
 * nothing. */
int trellis_cutoff_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel* kernel, void* of_user, double cutoff,
                         trellis_force** force);
int trellis_cutoff_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                           const char* results, trellis_kernel_d* kernel, void* of_user, double cutoff,
                           trellis_force** force);

/* The pairs of a search, as in FDPS: nearer than the radius of i, of j, or of either. */
enum { TRELLIS_GATHER, TRELLIS_SCATTER, TRELLIS_SYMMETRIC };
/* The same where each particle has a search radius, which is the field `radius` of i (gather), j (scatter) or both. */
int trellis_search_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel* kernel, void* of_user, const char* radius, int search,
                         trellis_force** force);
int trellis_search_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                           const char* results, trellis_kernel_d* kernel, void* of_user, const char* radius, int search,
                           trellis_force** force);

/* Ready-made: gravity of Plummer softening, with G = 1, whose root-mean-square relative error is near `accuracy`; and
 * Lennard-Jones, truncated at the cutoff. */
int trellis_gravity(double softening, double accuracy, const trellis_devices* devices, trellis_force** force);
int trellis_lennard_jones(double epsilon, double sigma, double cutoff, const trellis_devices* devices,
                          trellis_force** force);

/* Ready-made: a gas by smoothed particle hydrodynamics, with Wendland's C2 kernel, of the ratio of specific heats gamma
 * above 1. It reads the column internal_energy, of a unit of mass, which changes with time, and sets density, pressure
 * and smoothing_length, which begins at 0. neighbours: within a kernel, 0 for 64. courant: the factor of its limit of
 * steps, 0 for 0.3; a step that is longer fails. beside_others: not 0 if other forces act, such as gravity, which may
 * hold differences of pressure: artificial conduction then acts by the flow (Wadsley et al. 2008), and else where
 * pressures differ (Price 2008). Energies of trellis_energies are without the internal ones. */
int trellis_gas(double gamma, double neighbours, double courant, int beside_others, const trellis_devices* devices,
                trellis_force** force);

/* The same for a gas of one temperature, in which sound has this speed, above 0: it neither reads nor changes
 * internal_energy, and conducts no heat. */
int trellis_isothermal_gas(double sound_speed, double neighbours, double courant, const trellis_devices* devices,
                           trellis_force** force);

/* An interaction that is written in Python. Its force.write_object("yukawa.o") writes an object file, with which the
 * program is linked, and which defines the function yukawa: trellis_interaction yukawa; declares it. names and values:
 * of those parameters that are to have other values than in Python, of the cutoff, or of theta or accuracy of a force
 * of long range; names with spaces between them, and as many values. All else is as in Python. */
typedef const void* trellis_interaction(void); /* NOLINT(modernize-redundant-void-arg): this is C */
int trellis_interaction_force(trellis_interaction* interaction, const char* names, const double* values,
                              const trellis_devices* devices, trellis_force** force);

/* --- Limits of steps: forces that add nothing, where steps are chosen or each particle has its own --- */

/* The shortest limit counts. Ready-made gravity allows sqrt(2 eta softening / |acceleration|), a gas what Courant's
 * limit does. A limit of the program sets steps[k], which is infinite before, to the longest step of particle k of
 * those that begin one at this time, above 0. fields is a table as those of kernels: component c of particle k is
 * fields[c * stride + k], the components being those of the columns that the limit names, in that order. */
typedef void trellis_limit(void* of_user, double time, size_t count, size_t stride, const double* fields,
                           double* steps);
/* fields: columns that the particles have, such as "acceleration", which is that of all forces; with spaces between
 * them. */
int trellis_step_limit(const trellis_particles* particles, const char* fields, trellis_limit* limit, void* of_user,
                       trellis_force** force);
/* For gravity with G = 1 and small softenings: by free fall and fly-by of the nearest pairs. eta: as above. */
int trellis_encounter_limit(double softening, double eta, trellis_force** force);
/* For gravity with G = 1 and cusps: by the tidal field. */
int trellis_tidal_limit(double softening, const trellis_devices* devices, trellis_force** force);

void trellis_force_free(trellis_force* force);

/* --- Simulations --- */

typedef struct trellis_simulation trellis_simulation;

/* Steps by leapfrog, all of length timestep; or, if it is 0, each as long as the forces allow when it begins. Forces
 * are added before the first step; a force serves one simulation. */
int trellis_simulation_new(trellis_particles* particles, double timestep, trellis_simulation** simulation);
void trellis_simulation_free(trellis_simulation* simulation);
int trellis_add_force(trellis_simulation* simulation, trellis_force* force);
/* Devices, by names with spaces between them, that take the place of those that fail, in this order: the step is then
 * repeated. */
int trellis_set_spares(trellis_simulation* simulation, const char* names);

/* Each particle takes its own step, timestep over a power of two; trellis_step counts steps of timestep, the longest,
 * at whose ends all particles have the same time. The column rung has r of timestep / 2^r. Steps scale with the square
 * root of eta, which is 0.025 where limits below are given. order: 2, or 4 for forces that are sums over pairs, in open
 * space. docs/time_steps.md says how forces act then. */
int trellis_set_individual_steps(trellis_simulation* simulation, double eta, int order);

/* Sets the results of all forces at the present positions, for programs that move particles by themselves (FDPS:
 * calc_force_all_and_write_back). */
int trellis_compute_forces(trellis_simulation* simulation);
int trellis_step(trellis_simulation* simulation, int64_t steps);
/* Until the time is reached; the last step is shorter if need be. */
int trellis_run_until(trellis_simulation* simulation, double time);

int trellis_time(const trellis_simulation* simulation, double* time);
/* sum m v^2 / 2 and sum m phi / 2, phi being the column potential. */
int trellis_energies(trellis_simulation* simulation, double* kinetic, double* potential);
/* The root-mean-square relative error of the accelerations of `count` particles, drawn by lot, against direct summation
 * of the kernel's pairs in double precision. */
int trellis_force_error(trellis_simulation* simulation, int64_t count, double* error);

#ifdef __cplusplus
}
#endif

#endif
