// The forces among the particles of a system, by threads: each particle interacts with all others, or with those near
// it, in their order; their fields are in shared memory in single precision.
//
// Lists of near particles only leave out pairs beyond the cutoff: forces have the bits of all pairs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trellis/ensembles/gpu/thread_columns.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class Threads>
class ThreadPairs {
  public:
    using Columns = ThreadColumns<Threads>;
    using Row = SystemRow<I>;
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Result = typename I::Result;

    // columns_of[c]: the component of the system's columns that is component c of the fields. rows: memory for a row of
    // each particle. near: memory for lists, if there are any.
    TRELLIS_HOST_DEVICE ThreadPairs(const I& interaction, const System& system, const Columns& columns,
                                    const std::uint32_t* columns_of, Row* rows, NearBits near)
        : interaction_(interaction),
          columns_(columns),
          columns_of_(columns_of),
          rows_(rows),
          near_(near),
          system_(system) {
        set_box();
        if constexpr (ShortRange<I>) cutoff2_ = static_cast<float>(interaction.cutoff * interaction.cutoff);
    }

    // Writes the accelerations, and returns the potential energy.
    __attribute__((noinline)) TRELLIS_HOST_DEVICE double run() {
        if constexpr (ShortRange<I>)
            if (near_.exist()) update_lists();
        stage_all(columns_of_);
        return periodic_ ? columns_.sum([&](std::size_t k) { return force_on<true>(k); })
                         : columns_.sum([&](std::size_t k) { return force_on<false>(k); });
    }

    // Called when the system has another box, with new positions and forces.
    TRELLIS_HOST_DEVICE void box_has_changed() {
        set_box();
        if (near_.exist()) list_from_here();
    }

  private:
    TRELLIS_HOST_DEVICE void set_box() {
        periodic_ = false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            side_[axis] = system_.box[axis];
            inverse_side_[axis] = side_[axis] > 0 ? 1 / side_[axis] : 0;
            periodic_ = periodic_ || side_[axis] > 0;
        }
    }

    using Sums = Record<Result, Gated<float>>;

    TRELLIS_HOST_DEVICE double field(std::size_t c, std::size_t k) const { return columns_[columns_of_[c]][k]; }

    // Makes the lists those of the present positions.
    TRELLIS_HOST_DEVICE void list_from_here() {
        using namespace system_columns;
        columns_.each([&](std::size_t k) { columns_.set(listed, k, columns_.vector(position, k)); });
        made_ = false;
    }

    // Lists are a function of the positions in the columns `listed`, which are part of the state: wherever a call
    // begins, they are made again at the same steps.
    TRELLIS_HOST_DEVICE void update_lists() {
        using namespace system_columns;
        const double most = 0.499 * skin_of_lists * interaction_.cutoff;  // a margin for rounding
        const double farthest2 = columns_.template largest<1>([&](std::size_t k) -> std::array<double, 1> {
            const Vec3<double> moved = columns_.vector(position, k) - columns_.vector(listed, k);
            return {dot(moved, moved)};
        })[0];
        if (farthest2 > most * most) list_from_here();
        if (made_) return;
        const std::uint32_t positions[] = {listed, listed + 1, listed + 2};
        stage_all<3>(positions);
        const auto reach = static_cast<float>((1 + skin_of_lists) * interaction_.cutoff);
        columns_.each([&](std::size_t k) {
            near_.make(k, [&](std::uint32_t other) {
                const Vec3<float> d = separation<true>(rows_[k].values, rows_[other].values);
                return dot(d, d) < reach * reach;
            });
        });
        made_ = true;
    }

    // Stages the first components of all rows from the columns `from`.
    template <std::size_t Components = Row::components>
    TRELLIS_HOST_DEVICE void stage_all(const std::uint32_t* from) const {
        columns_.threads().wait();  // all threads have moved their particles and no longer read rows
        columns_.each([&](std::size_t k) { stage<Components>(from, k); });
        columns_.threads().wait();
    }

    // Positions relative to a particle amid the others, in a box of the nearest image: small numbers lose little when
    // they are rounded.
    template <std::size_t Components>
    TRELLIS_HOST_DEVICE void stage(const std::uint32_t* from, std::size_t k) const {
        for (std::size_t c = 0; c < Components; ++c) {
            double value = columns_[from[c]][k];
            if (c < 3) {
                value -= columns_[from[c]][system_.reference];
                value -= side_[c] * std::rint(value * inverse_side_[c]);
            }
            rows_[k].values[c] = static_cast<float>(value);
        }
    }

    // The vector from one position to another, by the nearest image.
    template <bool Periodic>
    TRELLIS_HOST_DEVICE Vec3<float> separation(const float* from, const float* to) const {
        Vec3<float> d{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        if constexpr (Periodic)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                constexpr float large = 0x1.8p23f;  // after adding it, a number is rounded to an integer
                const float images = (d[axis] * static_cast<float>(inverse_side_[axis]) + large) - large;
                d[axis] -= static_cast<float>(side_[axis]) * images;
            }
        return d;
    }

    // Writes the acceleration of particle k, and returns its share of the potential energy.
    template <bool Periodic>
    TRELLIS_HOST_DEVICE double force_on(std::size_t k) const {
        const I interaction = interaction_;
        const float cutoff2 = cutoff2_;
        const Row* const rows = rows_;
#if defined(__CUDA_ARCH__)
        __builtin_assume(__isShared(rows));
#endif
        const Row of_i = rows[k];
        const auto components = TargetComponents<I>::value;
        Record<Target, float> i;
        i.each_component([&](float& value, std::size_t c) { value = of_i.values[components[c]]; });
        i[fields::position] = {0, 0, 0};  // only the separation matters
        Sums sums;
        sums.each_component([](Gated<float>& sum, std::size_t) { sum.total = 0; });
        const auto count = static_cast<std::uint32_t>(columns_.count()), own = static_cast<std::uint32_t>(k);
        const auto add_force_of = [&](std::uint32_t other) {
            const Row of_j = rows[other];
            const Vec3<float> d = separation<Periodic>(of_i.values, of_j.values);
            bool counts = other != own;
            // The order of terms is that of interactions, so that the compiler computes r^2 once.
            if constexpr (ShortRange<I>) counts &= d.x * d.x + (d.y * d.y + d.z * d.z) < cutoff2;
            Record<Source, float> j;
            j.each_component([&](float& value, std::size_t c) { value = of_j.values[c]; });
            j[fields::position] = d;
            sums.each_component([&](Gated<float>& sum, std::size_t) { sum.counts = counts; });
            interaction(i, j, sums);
        };
        if (near_.exist())
            near_.each(k, add_force_of);
        else
            for (std::uint32_t other = 0; other < count; ++other) add_force_of(other);
        return finish(k, sums);
    }

    TRELLIS_HOST_DEVICE double finish(std::size_t k, Sums& sums) const {
        const auto components = TargetComponents<I>::value;
        Record<Target, double> i;
        i.each_component([&](double& value, std::size_t c) { value = field(components[c], k); });
        Record<Result, double> sum;
        zip(sum, sums, [](double& value, const Gated<float>& single) { value = static_cast<double>(single.total); });
        if constexpr (requires { interaction_.finish(i, sum); })
            interaction_.finish(i, sum);
        else if constexpr (requires { interaction_.finish(sum); })
            interaction_.finish(sum);
        columns_.set(system_columns::acceleration, k, sum[fields::acceleration]);
        return 0.5 * columns_.value(system_columns::mass, k) * sum[fields::potential];
    }

    const I& interaction_;
    const Columns& columns_;
    const std::uint32_t* columns_of_;
    Row* rows_;
    NearBits near_;
    bool made_ = false;  // lists were made by this object
    const System& system_;
    double side_[3], inverse_side_[3];
    bool periodic_ = false;
    float cutoff2_ = 0;
};

TRELLIS_ISA_END
}  // namespace trellis
