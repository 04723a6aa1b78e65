// The energy balance of expanding space, over all ranks.
#pragma once

#include "trellis/integrate/step_length.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"

namespace trellis {

// The integral of K da since the start, for a conserved quantity (Layzer 1963, Irvine 1961): with the kinetic energy
// K = sum m (p / a)^2 / 2 of peculiar velocities, and the potential energy U in comoving coordinates, a K + U + value()
// does not change. Steps are added by the trapezoidal rule, which is exact while K grows as a, as it does in linear
// growth in matter alone.
class ExpansionWork {
  public:
    // work: value() at a checkpoint.
    explicit ExpansionWork(double work) : work_(work) {}

    // kinetic: sum m p^2 / 2 over the particles of this rank. Collective. Between sites no rank waits for the sums over
    // all ranks: they travel with the messages of the next step.
    void begin_step(double kinetic) { kinetic_.begin = kinetic; }
    void end_step(Comm& comm, const StepLength& step, double kinetic);

    // Collective.
    double value();

  private:
    // Kinetic energies at the beginning and the end of a step.
    struct Kinetic {
        double begin, end;

        static Kinetic joined(const Kinetic& a, const Kinetic& b) { return {a.begin + b.begin, a.end + b.end}; }
    };
    void add_last_step();

    double work_;
    Kinetic kinetic_{};  // of this rank, in the step under way
    StepLength last_step_{};
    DeferredReduction<Kinetic> kinetic_of_all_{&Kinetic::joined};  // in last_step_
};

}  // namespace trellis
