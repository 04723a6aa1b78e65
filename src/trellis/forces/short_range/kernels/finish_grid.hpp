// The last kernel of a force of short range on particles that stay on a device: an element finishes the outcome of one
// i-particle, in double precision, and writes it to the particles' columns there.
#pragma once

#include <tuple>
#include <type_traits>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class F, class List>
inline constexpr bool is_among = UnionOfFields<List, Fields<>>::template in_source<F>();

// True for an interaction of particles that can stay on a device: within a cutoff, of positions and values that do not
// change, with accelerations and potentials among its results. Its `finish` is for devices as well.
template <class I>
concept OfStayingParticles = ShortRange<I> && std::is_void_v<typename SearchTraits<typename I::Search>::Radius> &&
                             std::is_same_v<typename EvolvesOf<I>::type, Rates<>> &&
                             !is_among<Velocity, typename I::Target> && !is_among<Velocity, typename I::Source> &&
                             is_among<Acceleration, typename I::Result> && is_among<Potential, typename I::Result>;

template <OfStayingParticles I, class R>
struct FinishGrid {
    using Result = OutcomeOf<I>;
    // The components of the outcome beside acceleration and potential.
    static constexpr std::size_t others = Result::components - 4;
    static constexpr std::size_t values_of_each =
        UnionOfFields<typename I::Source, typename I::Target>::component_count() - 3;

    I interaction;
    std::uint64_t elements, particles;
    const ListedBlock* blocks = nullptr;
    const R* outcome = nullptr;  // see NeighbourGrid
    const Vec3<double>* positions = nullptr;
    const double* values = nullptr;  // component by component: of the fields behind the position, for each particle
    Vec3<double>* accelerations = nullptr;
    double* potentials = nullptr;
    double* further = nullptr;  // component by component: of the other results, in their order
    auto arrays() { return std::tie(blocks, outcome, positions, values, accelerations, potentials, further); }
    auto sizes(std::uint64_t count) const {
        return array_sizes((count + SearchTree::block_size - 1) / SearchTree::block_size,
                           count > elements ? no_size : size_product(Result::components, elements), particles,
                           size_product(values_of_each, particles), particles, particles,
                           size_product(others, particles));
    }

    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const ListedBlock block = blocks[k / SearchTree::block_size];
        const auto slot = static_cast<std::uint32_t>(k % SearchTree::block_size);
        if (slot >= block.count) return;
        const std::size_t particle = block.first + slot;
        auto finished = finished_outcome(
            interaction, [&](std::size_t c) { return static_cast<double>(outcome[c * elements + k]); },
            [&] { return target(particle); });
        accelerations[particle] = finished[fields::acceleration];
        potentials[particle] = finished[fields::potential];
        std::size_t next = 0;
        finished.each_component([&](double& value, std::size_t c) {
            if (is_other(c)) further[next++ * particles + particle] = value;
        });
    }

  private:
    using Outcomes = UnionOfFields<Result, Fields<>>;
    static constexpr std::size_t acceleration_at = Outcomes::template component_in_source<Acceleration>();
    static constexpr std::size_t potential_at = Outcomes::template component_in_source<Potential>();
    TRELLIS_INLINE static bool is_other(std::size_t c) {
        return c != potential_at && c - acceleration_at >= 3;  // below it, the difference is huge
    }

    TRELLIS_HOST_DEVICE Record<typename I::Target, double> target(std::size_t particle) const {
        constexpr auto components = TargetComponents<I>::value;
        Record<typename I::Target, double> i{};
        i.each_component([&](double& value, std::size_t c) {
            const std::size_t component = components[c];
            value = component < 3 ? positions[particle][component] : values[(component - 3) * particles + particle];
        });
        return i;
    }
};

TRELLIS_ISA_END
}  // namespace trellis
