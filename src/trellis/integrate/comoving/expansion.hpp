// Steps of a simulation in expanding space: their lengths, and their factors of kicks and drifts.
#pragma once

#include <cmath>
#include <optional>

#include "trellis/integrate/comoving/cosmology.hpp"
#include "trellis/integrate/step_factors.hpp"
#include "trellis/integrate/step_length.hpp"

namespace trellis {

// The time variable is the scale factor a; steps are even in ln a.
class Expansion {
  public:
    // log_step: the longest step in ln a, above 0, of all that no limit makes shorter; if empty, 0.03, and the forces
    // limit steps. Throws InputError for a value out of range.
    explicit Expansion(const Cosmology& cosmology, std::optional<double> log_step = std::nullopt);

    const Cosmology& cosmology() const { return cosmology_; }
    bool steps_are_chosen() const { return !log_step_; }

    // The longest step in ln a that may begin at a. longest: the limit as a time, for velocities dx/dt with a = 1, that
    // comoving forces set; may be infinite. Under g = G m / x^2, sqrt(2 eta epsilon / g) of physical lengths and
    // accelerations is a^1.5 times that of comoving ones.
    double allowed(double a, double longest) const;
    // The limit by comoving forces alone, in ln a.
    double allowed_by_forces(double a, double longest) const {
        return cosmology_.hubble(a) * a * std::sqrt(a) * longest;
    }

    // The next step from a towards end > a, which may be infinite: the steps up to the end are equal in ln a, each at
    // most `allowed`. Length and end of the result are scale factors.
    static StepLength step(double a, double allowed, double end);

    // The factors of a step: kicks by the integral of dt / a up to the middle of the step in ln a, and from there to
    // its end; the drift by the integral of dt / a^2.
    StepFactors factors(double begin, double end) const;

  private:
    Cosmology cosmology_;
    std::optional<double> log_step_;
};

}  // namespace trellis
