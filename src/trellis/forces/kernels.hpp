// An interaction compiled: a table of functions and of what they read and write. The tree force works with the table alone, so it is
// ordinary code; make_kernels.hpp makes the table of a user's interaction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/lists/interaction_list.hpp"
#include "trellis/lists/opening.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/tree/moments.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

// One component of one result field: the value of a row is values[row * stride].
struct ResultComponent {
    double* values;
    std::size_t stride;
};

// What of a force is evaluated at once.
enum class Part {
    whole,
    own,     // by own sources, to begin with: the local expansions of targets are kept, not carried down
    grafted  // by grafted ones, to end with: kept expansions are added, and all carried down
};

// What the force kernels read. All arrays live as long as the step.
struct Scene {
    std::span<const Cell> cells;
    const Sphere* spheres;  // one a cell
    const double* units;    // one a cell: the unit of length of its expansions
    Vec3<double> corner;    // of the root cell: positions relative to it have no digits to spare for an offset
    std::vector<const double*> columns;    // components of the fields, in tree order, padded (SortedColumns)
    const void* j_particles;               // see ForceKernels::j_particles
    std::size_t j_stride;                  // slots from one component of them to the next
    std::vector<const double*> cell_sums;  // one a cell, for each component but the position's three
    const std::uint32_t* order;            // row of each own slot
    const InteractionLists* lists;
    Part part;
    std::span<const ResultComponent> results;
    Receiver receiver;
    int order_of_expansion;
};

// Work done, in units that do not depend on the machine.
struct Work {
    std::uint64_t pairs = 0;       // interactions of an i-particle with a j-particle or a superparticle
    std::uint64_t expansions = 0;  // interactions of a target cell with a cell, by local expansion
    std::uint64_t multipoles = 0;  // those of the pairs whose superparticle has moments beyond the monopole
    double cost = 0;               // of all that about, in pairs: what ranks are balanced by
    Work& operator+=(const Work& other) {
        pairs += other.pairs;
        expansions += other.expansions;
        multipoles += other.multipoles;
        cost += other.cost;
        return *this;
    }
};

inline constexpr int highest_order = 5;

// Room for so many slots, such that whole batches may be read and written behind the last.
constexpr std::size_t padded_slots(std::size_t slots) { return (slots + 31) / 16 * 16; }

// For one interaction, one instruction set and one precision of arithmetic.
struct ForceKernels {
    // Bytes of one cell's row in the table of cells, which is aligned to a cache line; no less than those of a local expansion.
    std::size_t (*row_bytes)(int order);
    std::size_t value_bytes;
    // The Source components of the leaves among the cells [begin, end), rounded: component c of the particle in a slot is
    // j_particles[c * j_stride + slot]; positions are relative to the leaf's centre. j_stride is at least padded_slots of the slots.
    void (*j_particles)(const Scene& scene, std::size_t begin, std::size_t end, void* j_particles);
    // The rows of the cells [begin, end), whose children come after end: superparticles (order 1) or multipole moments. The moments of
    // closed cells stand at the beginning of their rows already.
    void (*describe_cells)(const Scene& scene, std::size_t strength, std::size_t begin, std::size_t end, void* table);
    // Bytes of a cell's moments, with which its row begins; 0 for superparticles. And those of a cell from its two children's, all as in
    // such rows, each in units of its cell's radius.
    std::size_t (*moment_bytes)(int order);
    void (*join_moments)(int order, const Sphere& parent, const std::array<Sphere, 2>& children,
                         const std::array<const std::byte*, 2>& moments, std::byte* joined);
    // Local expansions and forces of a branch's targets. trunk_locals holds those of the trunk's targets: read, or, if the branch
    // is the trunk itself, written. kept_locals holds those of this branch's targets by own sources (Part::grafted), or takes them (Part::own).
    // For each target there are row_bytes in both.
    Work (*evaluate)(const void* interaction, const Scene& scene, const Branch& branch, const void* table,
                     void* trunk_locals, void* kept_locals, Workspace& workspace);
    // The processor's kernel for forces on a device (see device_pairs.hpp), and what takes its results: adds the sums of count
    // i-particles to the results of their rows.
    Kernel pairs;
    void (*write_back)(const void* interaction, const void* sums, const std::uint32_t* rows, std::size_t count,
                       std::span<const ResultComponent> results);
};

struct InteractionKernels {
    const char* name;                // of the type: what a device knows its kernels by
    std::size_t bytes;               // of its parameters
    std::vector<FieldInfo> fields;   // read from the particles: those of Source, then those of Target alone
    std::vector<FieldInfo> results;  // added to
    std::size_t source_components;   // the first so many components of fields are those of Source
    std::size_t strength;            // component of fields: what cells have multipole moments of
    bool strength_has_one_sign;      // then it must not be negative
    bool expandable;                 // orders above 1 and Receiver::cell are possible
    ForceKernels single_precision;
    ForceKernels double_precision;
    // The oracle: the sum over all sources for one row of targets, directly, in double precision: one value for each component of results.
    // self: the row of sources that is the same particle; -1 if none is.
    void (*reference)(const void* interaction, const ParticleSet& sources, const ParticleSet& targets,
                      std::uint32_t row, std::int64_t self, double* result);
};

}  // namespace trellis
