#include "trellis/integrate/comoving/expansion.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

constexpr double longest_log_step = 0.03;

// Tolerance for the rounding of logarithms, so that it adds no step.
constexpr double rounding = 1e-9;

}  // namespace

Expansion::Expansion(const Cosmology& cosmology, std::optional<double> log_step)
    : cosmology_(cosmology), log_step_(log_step) {
    cosmology.check();
    if (log_step && !(*log_step > 0 && std::isfinite(*log_step)))
        throw InputError("log_step is " + to_text(*log_step) + ": allowed is above 0");
}

double Expansion::allowed(double a, double longest) const {
    return std::min(log_step_.value_or(longest_log_step), allowed_by_forces(a, longest));
}

StepLength Expansion::step(double a, double allowed, double end) {
    const double left = std::log(end / a);
    const double count = std::isinf(left) ? left : std::max(1.0, std::ceil(left / allowed - rounding));
    const double next = count == 1 ? end : a * std::exp(std::isinf(count) ? allowed : left / count);
    return {next - a, next};
}

StepFactors Expansion::factors(double begin, double end) const {
    const double middle = std::sqrt(begin * end);
    return {.first_kick = cosmology_.kick_factor(begin, middle),
            .drift = cosmology_.drift_factor(begin, end),
            .last_kick = cosmology_.kick_factor(middle, end)};
}

}  // namespace trellis
