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
        : interaction_(interaction),
          box_(system),
          components_(components_of(interaction.pair->fields)),
          acceleration_(first_of<Acceleration>()),
          potential_(first_of<Potential>()) {}

    void set_box(const System& system) { box_ = SystemBox(system); }
    const SystemBox& box() const { return box_; }
    const RunTimeSystem& interaction() const { return interaction_; }
    std::size_t components() const { return components_; }
    static constexpr std::size_t sums() { return 4; }
    static constexpr bool summed(std::size_t) { return true; }

    template <bool Periodic, bool Open>
    void own_tile(const R* a, std::size_t particles, BlockSums sums) const {
        call<true, Periodic, Open, false>(a, a, particles, sums, sums);
    }
    template <bool Periodic, bool Open, bool Sparse>
    void tile(const R* a, const R* b, std::size_t particles, BlockSums of_a, BlockSums of_b) const {
        call<false, Periodic, Open, Sparse>(a, b, particles, of_a, of_b);
    }

    template <class Field, class Sum>
    PairOutcome outcome(const Field& field, const Sum& sum) const {
        const RunTimePair& pair = *interaction_.pair;
        double target[most_run_time_components], total[most_run_time_components] = {};
        for (const std::size_t c : pair.finishing) target[c] = field(pair.target_components[c]);
        for (std::size_t axis = 0; axis < 3; ++axis) total[acceleration_ + axis] = sum(axis);
        total[potential_] = sum(3);
        pair.finish(pair.context(), target, total);
        return {{total[acceleration_], total[acceleration_ + 1], total[acceleration_ + 2]}, total[potential_]};
    }

  private:
    template <bool Own, bool Periodic, bool Open, bool Sparse>
    void call(const R* a, const R* b, std::size_t particles, BlockSums of_a, BlockSums of_b) const {
        const RunTimePair& pair = *interaction_.pair;
        pair.tiles.loop(Own, Periodic, Open, Sparse)(pair.context(), a, b, box_.values(), particles, of_a.values,
                                                     of_a.stride, of_b.values, of_b.stride);
    }

    // The number of a result's first component in the outcome.
    template <class Field>
    std::size_t first_of() const {
        std::size_t first = 0;
        for (const FieldInfo& field : interaction_.pair->outcome) {
            if (field.name == Field::name) break;
            first += field.components;
        }
        return first;
    }

    const RunTimeSystem& interaction_;
    SystemBox box_;
    std::size_t components_, acceleration_, potential_;
};

TRELLIS_ISA_END
}  // namespace trellis
