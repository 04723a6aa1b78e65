// Tiles of an interaction that is compiled at run time: its functions in place of the loops of tile_rows.hpp. For
// kernel sources only.
#pragma once

#include <cstddef>

#include "trellis/ensembles/kernels/run_time_system.hpp"
#include "trellis/ensembles/kernels/tile_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

inline double range_of(const RunTimeSystem& interaction) { return interaction.cutoff; }

template <>
class TileRows<RunTimeSystem> {
  public:
    using R = float;
    using V = Batch<R>;
    static constexpr std::size_t width = lanes<R>, pitch = 2 * width;

    TileRows(const RunTimeSystem& interaction, const System& system)
        : interaction_(interaction), box_(system), components_(components_of(interaction.pair->fields)) {}

    void set_box(const System& system) { box_ = SystemBox(system); }
    const SystemBox& box() const { return box_; }
    const RunTimeSystem& interaction() const { return interaction_; }
    std::size_t components() const { return components_; }
    static constexpr std::size_t sums() { return 4; }
    static constexpr bool summed(std::size_t) { return true; }

    template <bool Periodic, bool Masked>
    void own_tile(const R* a, PairMask mask, BlockSums sums) const {
        call<true, Periodic, Masked, false>(a, a, mask, sums, sums);
    }
    template <bool Periodic, bool Masked, bool Sparse>
    void tile(const R* a, const R* b, PairMask mask, BlockSums of_a, BlockSums of_b) const {
        call<false, Periodic, Masked, Sparse>(a, b, mask, of_a, of_b);
    }

    template <class Field>
    void finish(const Field& field, BlockSums sums, double (&outcome)[4][width]) const {
        const RunTimePair& pair = *interaction_.pair;
        alignas(64) double target[most_run_time_components * width];
        for (const std::size_t c : pair.finishing)
            for (std::size_t lane = 0; lane < width; ++lane)
                target[c * width + lane] = field(pair.target_components[c], lane);
        pair.tiles.finish(pair.context(), target, sums.values, sums.stride, outcome[0]);
    }

  private:
    template <bool Own, bool Periodic, bool Masked, bool Sparse>
    void call(const R* a, const R* b, PairMask mask, BlockSums of_a, BlockSums of_b) const {
        const RunTimePair& pair = *interaction_.pair;
        pair.tiles.loop(Own, Periodic, Masked, Sparse)(pair.context(), a, b, box_.values(), mask.first, mask.stride,
                                                       of_a.values, of_a.stride, of_b.values, of_b.stride);
    }

    const RunTimeSystem& interaction_;
    SystemBox box_;
    std::size_t components_;
};

TRELLIS_ISA_END
}  // namespace trellis
