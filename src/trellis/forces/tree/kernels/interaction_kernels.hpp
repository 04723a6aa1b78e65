// A compiled interaction: a table of functions, and of the fields that they read and write. The tree force works with
// the table alone, so it is ordinary code; make_kernels.hpp makes the table of a user's interaction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/forces/tree/kernels/scene.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The steps at one order of expansion, in one precision.
struct OrderKernels {
    // Bytes of one cell's row in the table of cells, which is aligned to a cache line.
    std::size_t row_bytes;
    // Bytes of an expansion: of a cell's moments, with which its row begins, or of a target's local expansion; 0 for
    // superparticles.
    std::size_t expansion_bytes;
    // The rows of the cells [begin, end), whose children come after end: superparticles (order 1), or multipole moments
    // (P2M, M2M). The moments of closed cells are at the beginning of their rows already.
    void (*describe_cells)(const Scene& scene, std::size_t strength, std::size_t begin, std::size_t end, void* rows);
    // The moments of a cell from those of its two children, as in their rows, each in units of its cell's radius (M2M);
    // null for superparticles.
    void (*join_moments)(const Sphere& parent, const std::array<Sphere, 2>& children,
                         const std::array<const std::byte*, 2>& moments, std::byte* joined);
    // Local expansions (M2L, L2L) and forces (P2P, M2P, L2P) of a branch's targets. trunk_locals: the local expansions
    // of the trunk's targets, read, or written if the branch is the trunk itself. kept_locals: the local expansions of
    // this branch's targets by local sources, read (Part::imported) or written (Part::local).
    Work (*evaluate)(const void* interaction, const Scene& scene, const Branch& branch, const void* rows,
                     void* trunk_locals, void* kept_locals, Workspace& workspace);
    // The processor's kernels for far fields on a device (see device_far_field.hpp), and their use of memories; null
    // for superparticles.
    Kernel locals = nullptr, far_field = nullptr;
    MemoryUses locals_uses = nullptr, far_field_uses = nullptr;
};

// The kernels for one interaction, one instruction set and one precision of arithmetic.
struct ForceKernels {
    std::size_t value_bytes;
    // The Source components of the leaves among the cells [begin, end), rounded: component c of the particle in a slot
    // is j_particles[c * j_stride + slot]; positions are relative to the leaf's centre. j_stride is at least
    // padded_slots(number of slots).
    void (*j_particles)(const Scene& scene, std::size_t begin, std::size_t end, void* j_particles);
    std::function<OrderKernels(int order)> at_order;
    // The processor's kernel for forces on a device (see device_pairs.hpp), its use of memories, and the function that
    // takes its results: it adds the sums of count i-particles to the results of their rows.
    Kernel pairs;
    MemoryUses pairs_uses;
    void (*write_back)(const void* interaction, const void* sums, const std::uint32_t* rows, std::size_t count,
                       std::span<const ResultComponent> results);
};

struct InteractionKernels {
    const char* name;                                   // name of the type: the name of its kernels on devices
    std::size_t bytes;                                  // of its constants
    const void* (*constants)(const void* interaction);  // its constants, as a device gets them
    std::vector<FieldInfo> fields;         // read from the particles: those of Source, then those of Target alone
    std::vector<FieldInfo> results;        // fields that the kernels add to
    std::size_t source_components;         // number of the first components of fields that belong to Source
    std::size_t strength;                  // the component of fields that cells have multipole moments of
    std::optional<std::size_t> softening;  // the component of fields that is a softening, if any
    bool strength_has_one_sign;            // true: it must not be negative
    std::optional<std::size_t> not_negative() const {
        return strength_has_one_sign ? std::optional(strength) : std::nullopt;
    }
    bool expandable;  // orders above 1 and Receiver::cell are possible
    ForceKernels single_precision;
    ForceKernels double_precision;
    // The oracle: the sum over all sources for one row of targets, directly, in double precision: one value for each
    // component of results. self: the row of sources that is the same particle; -1 if it is not among them.
    void (*reference)(const void* interaction, const ParticleSet& sources, const ParticleSet& targets,
                      std::uint32_t row, std::int64_t self, double* result);
    // An expandable interaction that accelerates, without a softening of each particle; null for others. The field of a
    // source of strength 1 at a squared distance: g_0 and g_1 (see Expandable).
    std::array<double, 2> (*field_of_source)(const void* interaction, double r2) = nullptr;
    // The results of the rows from `first` on in given fields, a row for each: values[k * components + c] is component
    // c of the results of row first + k in the field with phi[k] and gradients[k].
    void (*results_of_field)(const void* interaction, const ParticleSet& particles, std::size_t first,
                             std::span<const double> phi, std::span<const Vec3<double>> gradients,
                             double* values) = nullptr;
    // True if it does not say its coupling, which these two show (tree/shown_coupling.hpp).
    bool shows_coupling = false;
};

}  // namespace trellis
