#include "trellis/forces/tree/shown_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Steps of a factor of 2^(1/8): rounding, which depends on the order of rows, does not show in the lists.
double rounded(double coupling) { return std::exp2(std::round(8 * std::log2(coupling)) / 8); }

// The geometric mean of the distances to the centre: far outliers count little.
double typical_radius(std::span<const Vec3<double>> positions) {
    const auto sum_of = [&](auto&& term, auto zero) {
        return parallel_reduce(
            positions.size(), zero,
            [&](std::size_t begin, std::size_t end) {
                auto sum = zero;
                for (std::size_t row = begin; row < end; ++row) sum += term(positions[row]);
                return sum;
            },
            std::plus{});
    };
    const auto count = static_cast<double>(positions.size());
    const Vec3<double> centre = sum_of([](const Vec3<double>& x) { return x; }, Vec3<double>{}) / count;
    const double logs = sum_of(
        [&](const Vec3<double>& x) {
            const double squared = dot(x - centre, x - centre);
            return squared > 0 ? 0.5 * std::log(squared) : 0.0;
        },
        0.0);
    return std::exp(logs / count);
}

double largest_field(const CompiledInteraction& interaction, const ParticleSet& particles) {
    const double radius = typical_radius(particles[Position()]);
    double largest = 0;
    for (double at = 2 * radius; at > radius / std::cbrt(static_cast<double>(particles.size())); at /= 2)
        largest = std::max(largest, interaction.kernels.field_of_source(interaction.parameters.get(), at));
    return largest;
}

}  // namespace

void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles,
                              std::span<double> errors) {
    if (interaction.kernels.field_of_source == nullptr || errors.empty()) return;
    constexpr std::size_t block = 4096;
    parallel_tasks((errors.size() + block - 1) / block, [&](std::size_t number, int) {
        const std::size_t begin = number * block, end = std::min(begin + block, errors.size());
        interaction.kernels.errors_of_field(interaction.parameters.get(), particles, begin, end, errors);
    });
    const double field = largest_field(interaction, particles);
    if (!(field > 0 && std::isfinite(field))) return;
    parallel_for(errors.size(), [&, coupling = rounded(field)](std::size_t row) { errors[row] /= coupling; });
}

}  // namespace trellis
