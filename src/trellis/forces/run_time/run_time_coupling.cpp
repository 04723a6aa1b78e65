#include "trellis/forces/run_time/run_time_coupling.hpp"

#include <cmath>

#include "trellis/forces/checks.hpp"
#include "trellis/forces/run_time/run_time_rows.hpp"
#include "trellis/lists/walk/opening.hpp"

namespace trellis {

double run_time_field_of_source(const void* interaction, double distance) {
    const auto& pair = *static_cast<const RunTimePair*>(interaction);
    const double r2 = distance * distance, unit2 = 1;
    double g[run_time_derivatives];
    pair.radial(pair.context(), &r2, &unit2, g);
    return std::abs(g[1]) * distance * r2;
}

// A particle that no field accelerates can bear any error.
void run_time_errors_of_field(const void* interaction, const ParticleSet& particles, std::size_t begin, std::size_t end,
                              std::span<double> errors) {
    const auto& pair = *static_cast<const RunTimePair*>(interaction);
    const Rows rows(particles, pair.fields);
    const std::size_t first = first_component(pair.outcome, Acceleration::name);
    constexpr double along_x[] = {0, 1, 0, 0};
    for (std::size_t row = begin; row < end; ++row) {
        double target[most_run_time_components], outcome[most_run_time_components] = {};
        for (const std::size_t c : pair.finishing) target[c] = rows(pair.target_components[c], row);
        pair.far_field(pair.context(), target, along_x, outcome);
        const double squared = outcome[first] * outcome[first] + outcome[first + 1] * outcome[first + 1] +
                               outcome[first + 2] * outcome[first + 2];
        errors[row] = squared > 0 ? errors[row] / std::sqrt(squared) : any_error;
    }
}

}  // namespace trellis
