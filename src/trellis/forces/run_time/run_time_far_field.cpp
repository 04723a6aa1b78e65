#include "trellis/forces/run_time/run_time_far_field.hpp"

#include <algorithm>

#include "trellis/forces/run_time/run_time_rows.hpp"

namespace trellis {

std::array<double, 2> run_time_field_of_source(const void* interaction, double r2) {
    const auto& pair = *static_cast<const RunTimePair*>(interaction);
    constexpr double unit2 = 1;
    double g[run_time_derivatives];
    pair.radial(pair.context(), &r2, &unit2, g);
    return {g[0], g[1]};
}

void run_time_results_of_field(const void* interaction, const ParticleSet& particles, std::size_t first,
                               std::span<const double> phi, std::span<const Vec3<double>> gradients, double* values) {
    const auto& pair = *static_cast<const RunTimePair*>(interaction);
    const Rows rows(particles, pair.fields);
    const std::size_t components = pair.outcome_components();
    std::fill_n(values, phi.size() * components, 0.0);
    for (std::size_t k = 0; k < phi.size(); ++k) {
        double target[most_run_time_components];
        for (const std::size_t c : pair.finishing) target[c] = rows(pair.target_components[c], first + k);
        const double field[] = {phi[k], gradients[k].x, gradients[k].y, gradients[k].z};
        pair.far_field(pair.context(), target, field, values + k * components);
    }
}

}  // namespace trellis
