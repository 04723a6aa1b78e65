// Steps of a simulation whose space expands: how long they are, by what they kick and drift, and the energy balance.
#pragma once

#include <optional>

#include "trellis/integrate/comoving/cosmology.hpp"
#include "trellis/integrate/step_factors.hpp"
#include "trellis/integrate/step_length.hpp"

namespace trellis {

// Its clock is the scale factor a; steps are even in ln a.
class Expansion {
  public:
    // log_step: the length of steps in ln a, above 0; none: they are chosen. work: work() at a checkpoint. Throws
    // InputError for a value out of range.
    explicit Expansion(const Cosmology& cosmology, std::optional<double> log_step = std::nullopt, double work = 0);

    const Cosmology& cosmology() const { return cosmology_; }
    bool steps_are_chosen() const { return !log_step_; }

    // The most that a step from a on may have in ln a: the given length; else what comoving forces allow, which is
    // longest, a time, for velocities dx/dt with a = 1, and 0.03 at most. Under g = G m / x^2, sqrt(2 eta epsilon / g)
    // of physical lengths and accelerations is a^1.5 times that of comoving ones.
    double allowed(double a, double longest) const;

    // A step that is not to go beyond an end > a, which may be infinite: as long as all those up to the end, of at most
    // so much in ln a. Its length and end are scale factors.
    static StepLength step(double a, double allowed, double end);

    // The factors of a step: kicks by the integral of dt / a to the middle of the step in ln a, and from there on; a
    // drift by that of dt / a^2.
    StepFactors factors(double begin, double end) const;

    // The integral of K da since the start, for a conserved quantity (Layzer 1963, Irvine 1961): with the kinetic
    // energy K = sum m (p / a)^2 / 2 of peculiar velocities, and the potential energy U in comoving coordinates, a K +
    // U + work() does not change.
    double work() const { return work_; }
    // Adds a step, by the trapezoidal rule, which is exact while K grows as a, as linear growth in matter alone has it.
    // Kinetic energies: sum m p^2 / 2 at its begin and end.
    void add_work(const StepLength& step, double at_begin, double at_end);

  private:
    Cosmology cosmology_;
    std::optional<double> log_step_;
    double work_;
};

}  // namespace trellis
