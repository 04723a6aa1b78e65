// The forces of a simulation, computed together, in whatever order they were added: those on devices are dispatched
// first and retrieved last, so that the host computes the others meanwhile (Nakasato et al. 1997, case PS-RG). A device
// that fails on one rank fails the computation of all.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"

namespace trellis {

// A force whose computation failed, and the name of the device that did.
struct FailedForce {
    Force* force;
    std::string device;
    std::string message;
};

// What the last forces cost, by the speed of each rank's site: this rank, all together, and the costliest. On several
// sites the latter two are of the computation before, unless devices take part.
struct Costs {
    double own = 0;
    double sum = 0, most = 0;  // 0: unknown
};

class AllForces {
  public:
    void add(std::shared_ptr<Force> force);
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

    // Makes the result columns the sums of all forces. number: of the step, which says whose lists may be reused.
    // Throws RedoForces on all ranks if a force does, and a DeviceError on all ranks if a device of any has failed:
    // then no results are of use.
    void compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Comm& comm, Phases& phases);
    // Those that a device failed in the last computation: one of this rank, or of another that they meet in exchanges.
    const std::vector<FailedForce>& failed() const { return failed_; }

    // The work of the last computation: of this rank, and of all, as Costs.
    const Work& work() const { return work_; }
    const Work& total_work() const { return total_work_; }
    const Costs& costs() const { return costs_; }
    // After a resume, collective: what the forces cost that the particles have.
    void resume(Comm& comm, const Costs& costs);

  private:
    // Of a computation.
    struct Outcome {
        Work work;
        double cost = 0, most = 0;
        int first_failed = 0;
        bool again = false;

        static Outcome joined(const Outcome& a, const Outcome& b);
    };
    using Part = std::vector<Force*>;
    void dispatch(const Part& part, ParticleSet& particles, const ForceStep& step, std::uint64_t number,
                  Phases& phases);
    void clear_results(ParticleSet& particles) const;
    void retrieve(const Part& part, ParticleSet& particles, Phases& phases);
    void note(Force& force, const std::exception_ptr& failure);
    void add_up(Comm& comm);
    void add_up_late(Comm& comm, const Outcome& own);
    bool may_fail(Comm& comm);

    std::vector<std::shared_ptr<Force>> forces_;
    Part on_devices_, on_host_;  // when they were added: on all ranks alike, also after a spare has taken a place
    std::vector<FailedForce> failed_;
    std::exception_ptr failure_;  // the first of this rank
    bool again_ = false;          // they are to be dispatched again
    Work work_, total_work_;
    Costs costs_;
    std::optional<bool> may_fail_;  // true if a device of any rank takes part; none: not asked
    DeferredReduction<Outcome> outcome_of_all_{&Outcome::joined};  // on several sites
};

}  // namespace trellis
