// Grid kernels of a resident force around the pair kernels: they write the rows that the pair kernels read, and finish
// the sums that the pair kernels write.
#pragma once

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/resident/kernels/state.hpp"
#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// The number of values in a row: position, strength and, if softenings differ, softening.
inline constexpr std::size_t resident_row_stride = row_stride_of(4);
static_assert(row_stride_of(5) == resident_row_stride);

// Writes a row for each particle.
template <class R>
struct ParticleRows {
    static constexpr const char* name =
        sizeof(R) == 4 ? "resident.particle_rows.single" : "resident.particle_rows.double";
    static constexpr Phase phase = Phase::copy_all;
    const Vec3<double>* positions = nullptr;
    const double* strengths = nullptr;
    const double* softenings = nullptr;  // null if they do not differ
    const ResidentValues* state = nullptr;
    R* rows = nullptr;
    auto arrays() { return std::tie(positions, strengths, softenings, state, rows); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(elements, elements, ArraySize::if_present(elements), 1,
                           size_product(elements, resident_row_stride));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        R* row = rows + k * resident_row_stride;
        write_row_position(positions[k] - state->root.low, row);
        row[place_in_row(3)] = static_cast<R>(strengths[k]);
        if (softenings != nullptr) row[place_in_row(4)] = static_cast<R>(softenings[k]);
    }
};

// Writes a row for each cell as a superparticle, behind the rows of the particles.
template <class R>
struct CellRows {
    static constexpr const char* name = sizeof(R) == 4 ? "resident.cell_rows.single" : "resident.cell_rows.double";
    static constexpr Phase phase = Phase::copy_all;
    std::uint64_t particles;
    const CellContents* contents = nullptr;
    const CellSoftening* softenings = nullptr;  // null if they do not differ
    const ResidentValues* state = nullptr;
    R* rows = nullptr;
    auto arrays() { return std::tie(contents, softenings, state, rows); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(elements, ArraySize::if_present(elements), 1,
                           size_product(size_sum(particles, elements), resident_row_stride));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k >= state->cell_count) return;
        R* row = rows + (particles + k) * resident_row_stride;
        write_row_position(contents[k].sphere.centre - state->root.low, row);
        row[place_in_row(3)] = static_cast<R>(contents[k].weight);
        if (softenings != nullptr) row[place_in_row(4)] = static_cast<R>(softenings[k].mean);
    }
};

// Writes acceleration and potential from the sums of gravity's pair kernel, unless the lists were unfinished.
template <class R>
struct FinishForces {
    static constexpr const char* name =
        sizeof(R) == 4 ? "resident.finish_forces.single" : "resident.finish_forces.double";
    static constexpr Phase phase = Phase::copy_forces;
    double G;
    const R* sums = nullptr;
    Vec3<double>* accelerations = nullptr;
    double* potentials = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(sums, accelerations, potentials, state); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(size_product(elements, Gravity::Result::components), elements, elements, 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (state->lists_invalid == lists_unfinished) return;
        Record<Gravity::Result, double> sum{};
        const R* next = sums + k * Gravity::Result::components;
        sum.each_component([&](double& value, std::size_t c) { value = next[c]; });
        Gravity{{0}, G}.finish(sum);
        accelerations[k] = sum[fields::acceleration];
        potentials[k] = sum[fields::potential];
        // x - x is 0 only for a finite x.
        const Vec3<double> nothing = accelerations[k] - accelerations[k];
        if (!(nothing.x + nothing.y + nothing.z + (potentials[k] - potentials[k]) == 0)) raise_to(state->not_finite, 1);
    }
};

using ForceGridKernels = GridKernels<ParticleRows<float>, ParticleRows<double>, CellRows<float>, CellRows<double>,
                                     FinishForces<float>, FinishForces<double>>;

}  // namespace trellis
