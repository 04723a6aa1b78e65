#include "trellis/forces/step_limit.hpp"

#include <algorithm>

#include "trellis/base/error.hpp"

namespace trellis {

void StepLimit::allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                              std::span<double> steps) const {
    if (steps.empty()) return;
    const std::vector<double> allowed = function_(particles, time, rows);
    if (allowed.size() != steps.size())
        throw InputError(name_ + " has returned " + std::to_string(allowed.size()) +
                         " steps: allowed is one for each of " + std::to_string(steps.size()) + " particles");
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (!(allowed[k] > 0))
            throw InputError(name_ + " has returned the step " + to_text(allowed[k]) + " for the particle of id " +
                             std::to_string(particles[fields::id][rows[k]]) + ": allowed is above 0, or infinite");
        steps[k] = std::min(steps[k], allowed[k]);
    }
}

}  // namespace trellis
