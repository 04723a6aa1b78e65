// A pair interaction whose functions are compiled at run time.
//
// The functions have the widths of the instruction set in use: see lanes and j_at_once. Components of fields are
// counted as everywhere (components.hpp): those of Source, then those that Target alone has. Positions are relative to
// a point near the i-particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/forces/components.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/loops/column_loops.hpp"
#include "trellis/forces/short_range/kernels/row_kinds.hpp"
#include "trellis/lists/neighbours/search/search.hpp"
#include "trellis/particles/field.hpp"

namespace trellis {

// The number of radial derivatives that functions compute: M2P of the highest order needs as many.
inline constexpr int run_time_derivatives = 7;

// The loops over pairs in one precision. An interaction of long range has those of columns, and the last if it is the
// gradient of a central potential; one of short range has `cluster`, and fill_rows if RunTimePair::row_values is
// above 0.
template <class R>
struct PairLoops : ColumnLoops<R> {
    // Writes the values that kinds decide, of a cluster's i-particles with each kind of j: two values of all four
    // together make a row. The rows of kinds -1, 0, ..., and one beyond the last, lie side by side.
    void (*fill_rows)(const void* context, const R* target, R* rows) = nullptr;
    // The outcome of a cluster's i-particles, numbers `first` on, with the j-particles on a list and with those of its
    // block, the numbers from `own` to `end`, but for themselves. target: four values of each component; source: those
    // of the j-particle of each number, padded to a multiple of four; rows: as fill_rows has left them, of which the
    // kind in `source` names one (run_time_kind_rows.hpp); absent: the number of one that is within no reach; outcome:
    // four values of each component.
    void (*cluster)(const void* context, const R* target, const R* source, const R* rows, const std::uint32_t* list,
                    std::size_t length, std::uint32_t first, std::uint32_t own, std::uint32_t end, std::uint32_t absent,
                    double* outcome) = nullptr;
    // The radial derivatives of the potential (see Expandable) at a vector of squared distances: vector n of g is g_n.
    void (*radial)(const void* context, const R* r2, const R* unit2, R* g) = nullptr;
};

// The pairs of two blocks of particles of a small system (ensembles/kernels/tile_rows.hpp): a vector of i-particles
// with each of a vector of j-particles, in both directions, in single precision. Component c of a block, by its number
// among those of all fields, is at a[2 c lanes]; its values stand there twice, those of open lanes are any numbers.
// box: three sides, and their reciprocals. In turn t, lane k has i-particle k and j-particle (k + t) modulo the lanes;
// the pair counts where mask[t mask_stride + k] is above 0. The sums of acceleration and potential (sums[c stride], c =
// 0 to 3) are added to those of both blocks.
using TileLoop = void (*)(const void* context, const float* a, const float* b, const float* box, const float* mask,
                          std::size_t mask_stride, float* sums_of_a, std::size_t stride_of_a, float* sums_of_b,
                          std::size_t stride_of_b);
struct TileLoops {
    // By number: own + 2 periodic + 4 masked + 8 sparse. own: a block with itself, each pair once; masked: the mask is
    // read; sparse: skips rows of pairs that are all beyond the cutoff, not for own.
    TileLoop loops[16] = {};
    // The sums of the particles of a block as accelerations and potentials: four values of each, component by
    // component. target: the components of fields that the pair's finishing names, a vector of doubles for each.
    void (*finish)(const void* context, const double* target, const float* sums, std::size_t stride,
                   double* outcome) = nullptr;

    TileLoop loop(bool own, bool periodic, bool masked, bool sparse) const {
        return loops[int{own} + 2 * int{periodic} + 4 * int{masked} + 8 * int{sparse}];
    }
};

struct RunTimePair {
    std::string name;
    std::vector<FieldInfo> fields;               // position first: those of Source, then those of Target alone
    std::size_t source_components;               // of the first fields, which belong to Source
    std::vector<std::size_t> target_components;  // of each component of Target, its number among all components
    std::size_t paired = 0;                      // the number of the first of them, which the loops over pairs read
    std::vector<std::size_t> finishing;          // those that finish reads
    std::vector<FieldInfo> outcome;              // sums, then maxima, then minima
    std::size_t summed = 0, raised = 0;          // the numbers of components that are sums, and maxima
    bool sums_over_pairs = true;                 // finish is linear: what is made of parts of the sums can be added
    std::vector<std::pair<FieldInfo, FieldInfo>> evolves;  // value and rate; short range alone
    std::size_t strength = 0;                              // long range: see InteractionKernels
    Search search = Search::gather;                        // short range
    std::optional<FieldInfo> radius;                       // short range: the search radius; without it: a cutoff
    std::vector<double> parameters;                        // and the tables that functions read behind them
    std::vector<std::string> parameter_names;  // of the first of them, for which a program may give other values
    std::size_t tabled = 0;                    // the number of the last of them that are tables: graphs have their own
    std::size_t row_values = 0;                // that fill_rows writes; 0: there are no rows
    RowKinds row_kinds;                        // with rows
    double table_end = std::numeric_limits<double>::infinity();  // the largest cutoff for which tables have values
    std::shared_ptr<const void> state;                           // what functions are given instead of these
    // The graph of its kernels for GPUs (run_time_device.hpp), and the name by which devices know them, which no
    // other graph has.
    std::string kernel_name;
    std::vector<std::byte> graph;
    std::vector<std::byte> far_graph;  // of the radial derivatives: far_field/far_graph.hpp; empty unless expandable

    PairLoops<float> single_precision;
    PairLoops<double> double_precision;
    TileLoops tiles;  // for systems alone, and then in place of the loops above
    // The outcome of one pair, a value for each component. Returns the square of the distance within which it counts.
    double (*pair)(const void* context, const double* target, const double* source, double* outcome);
    // Turns the whole outcome of an i-particle, or parts of its sums, into the values that are written.
    void (*finish)(const void* context, const double* target, double* outcome);

    // The radial derivatives of a central potential, phi = sum over j of strength_j f(|d|), at one squared distance,
    // and the effect of a far field (phi and its gradient) on an i-particle, which is added to the outcome. Null for
    // others.
    void (*radial)(const void* context, const double* r2, const double* unit2, double* g) = nullptr;
    void (*far_field)(const void* context, const double* target, const double* field, double* outcome) = nullptr;
    bool expandable() const { return radial != nullptr; }

    std::size_t outcome_components() const { return components_of(outcome); }
    // The first argument of all functions.
    const void* context() const { return state ? state.get() : parameters.data(); }

    template <class R>
    const PairLoops<R>& loops() const {
        if constexpr (sizeof(R) == sizeof(float))
            return single_precision;
        else
            return double_precision;
    }
};

template <>
struct ComponentNumbers<RunTimePair> {
    explicit ComponentNumbers(const RunTimePair& pair) : pair_(&pair) {}
    static constexpr std::size_t most_source = most_run_time_components;
    std::size_t source() const { return pair_->source_components; }
    std::size_t target() const { return pair_->target_components.size(); }
    std::size_t of_target(std::size_t c) const { return pair_->target_components[c]; }

  private:
    const RunTimePair* pair_;
};

}  // namespace trellis
