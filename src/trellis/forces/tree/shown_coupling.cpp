#include "trellis/forces/tree/shown_coupling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

namespace {

struct Spread {
    double radius, particles;
};

// radius: the geometric mean of the distances to the centre; far outliers count little.
Spread spread_of(std::span<const Vec3<double>> positions, Comm& comm) {
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

// The accelerations of some rows in a field of gradient 1.
void take_responses(const CompiledInteraction& interaction, const ParticleSet& particles, std::size_t first,
                    std::span<double> responses) {
    const std::vector<FieldInfo>& results = interaction.kernels.results;
    const std::size_t components = components_of(results), at = first_component(results, Acceleration::name);
    const std::vector<double> phi(responses.size());
    const std::vector<Vec3<double>> along_x(responses.size(), {1, 0, 0});
    std::vector<double> values(responses.size() * components);
    interaction.kernels.results_of_field(interaction.parameters.get(), particles, first, phi, along_x, values.data());
    for (std::size_t k = 0; k < responses.size(); ++k) {
        const double* a = &values[k * components + at];
        responses[k] = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    }
}

}  // namespace

double largest_coupling(const CompiledInteraction& interaction, double radius, double particles) {
    double largest = 0;
    for (double at = 2 * radius; at > radius / std::cbrt(particles); at /= 2) {
        const auto [value, slope] = interaction.kernels.field_of_source(interaction.parameters.get(), at * at);
        largest = std::max(largest, std::abs(slope) * at * at * at);
    }
    return largest;
}

std::vector<double> responses_of_rows(const CompiledInteraction& interaction, const ParticleSet& particles) {
    std::vector<double> responses(particles.size());
    parallel_blocks(responses.size(), 4096, [&](std::size_t begin, std::size_t end) {
        take_responses(interaction, particles, begin, std::span(responses).subspan(begin, end - begin));
    });
    return responses;
}

void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles, Comm& comm,
                              std::span<double> errors) {
    if (!interaction.kernels.shows_coupling) return;
    if (!errors.empty()) {
        const std::vector<double> responses = responses_of_rows(interaction, particles);
        // A particle that no field accelerates can bear any error.
        for (std::size_t row = 0; row < errors.size(); ++row)
            errors[row] = responses[row] > 0 ? errors[row] / responses[row] : any_error;
    }
    const auto [radius, count] = spread_of(particles[Position()], comm);
    const double coupling = largest_coupling(interaction, radius, count);
    if (coupling > 0 && std::isfinite(coupling))
        parallel_for(errors.size(), [&](std::size_t row) { errors[row] /= coupling; });
}

}  // namespace trellis
