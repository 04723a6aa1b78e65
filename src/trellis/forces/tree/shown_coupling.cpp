#include "trellis/forces/tree/shown_coupling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

namespace {

struct Extent {
    double radius, particles;
};

// radius: the geometric mean of the distances to the centre; far outliers count little.
Extent extent_of(std::span<const Vec3<double>> positions, Comm& comm) {
    const auto [x, y, z, count] = exact_sums<4>(comm, positions.size(), [&](std::size_t row) {
        const Vec3<double>& at = positions[row];
        return std::array{at.x, at.y, at.z, 1.0};
    });
    const Vec3<double> centre = Vec3<double>{x, y, z} / count;
    const double logs = exact_sum(comm, positions.size(), [&](std::size_t row) {
        const Vec3<double> d = positions[row] - centre;
        return dot(d, d) > 0 ? 0.5 * std::log(dot(d, d)) : 0.0;
    });
    return {std::exp(logs / count), count};
}

// The largest field of a source of strength 1 times the square of the distance, between the spacing of the particles
// and their extent.
double largest_field(const CompiledInteraction& interaction, const Extent& extent) {
    double largest = 0;
    for (double at = 2 * extent.radius; at > extent.radius / std::cbrt(extent.particles); at /= 2)
        largest = std::max(largest, interaction.kernels.field_of_source(interaction.parameters.get(), at));
    return largest;
}

}  // namespace

void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles, Comm& comm,
                              std::span<double> errors) {
    if (interaction.kernels.field_of_source == nullptr) return;
    constexpr std::size_t block = 4096;
    parallel_tasks((errors.size() + block - 1) / block, [&](std::size_t number, int) {
        const std::size_t begin = number * block, end = std::min(begin + block, errors.size());
        interaction.kernels.errors_of_field(interaction.parameters.get(), particles, begin, end, errors);
    });
    const double coupling = largest_field(interaction, extent_of(particles[Position()], comm));
    if (coupling > 0 && std::isfinite(coupling))
        parallel_for(errors.size(), [&](std::size_t row) { errors[row] /= coupling; });
}

}  // namespace trellis
