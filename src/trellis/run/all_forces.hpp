// The forces of a simulation, computed together: whatever the order in which they were added, those on devices are
// dispatched first and retrieved last, so that the host computes the others meanwhile (Nakasato et al. 1997, case
// PS-RG). A device that fails on one rank fails the computation on all ranks.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"
#include "trellis/run/own_results.hpp"

namespace trellis {

// A force whose computation failed, and the name of the device that failed.
struct FailedForce {
    Force* force;
    std::string device;
    std::string message;
};

// The cost of the last forces over the speed of each rank's site. On several sites sum and most are those of the
// computation before, unless devices take part.
struct Costs {
    double own = 0;            // this rank's
    double sum = 0, most = 0;  // over all ranks; 0: unknown
};

// True if accelerations by forces that count for accuracy are not all: MutualAcceleration is summed beside
// Acceleration.
bool mutual_is_apart(const std::vector<std::shared_ptr<Force>>& forces);

class AllForces {
  public:
    void add(std::shared_ptr<Force> force);
    const std::vector<std::shared_ptr<Force>>& forces() const { return forces_; }

    // From now on what forces at particles' own steps add is kept, too; null: it is not.
    void keep(std::shared_ptr<const OwnResults> own_results) { own_results_ = std::move(own_results); }

    // Makes the result columns of active rows the sums of all forces, and MutualAcceleration, if it is there and a
    // force counts for accuracy, that of those which do. number: of the step, on which it depends whether a force may
    // reuse its lists. Returns false on all ranks if a force asks to be computed again (RedoForces); throws a
    // DeviceError on all ranks if a device of any has failed. In both cases the results are not valid.
    bool compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Comm& comm, Phases& phases);
    // The forces that failed in the last computation, by a device of this rank, or of another in an exchange with it.
    const std::vector<FailedForce>& failed() const { return failed_; }

    // The work of the last computation: of this rank, and of all ranks, which on several sites is as late as
    // Costs::sum.
    const Work& work() const { return work_; }
    const Work& total_work() const { return total_work_; }
    const Costs& costs() const { return costs_; }
    // See Force::resume.
    void resume(ParticleSet& particles, double time, const Ranks* ranks);
    // After a resume, collective: the costs of the forces that the particles have.
    void resume_costs(Comm& comm, const Costs& costs);

  private:
    // The outcome of a computation, on one rank or joined over several.
    struct Outcome {
        Work work;
        double cost = 0, most = 0;
        int first_failed = 0;
        bool redo = false;

        static Outcome joined(const Outcome& a, const Outcome& b);
    };
    using Part = std::vector<Force*>;
    const Force* first_replacing() const;
    void dispatch(const Part& part, ParticleSet& particles, const ForceStep& step, Phases& phases);
    void clear_results(ParticleSet& particles, const ActiveRows& active) const;
    void retrieve(const Part& part, ParticleSet& particles, Phases& phases);
    Work results_of(Force& force, ParticleSet& particles, Phases& phases) const;
    void note(Force& force, const std::exception_ptr& failure);
    bool add_up(Comm& comm);
    void add_up_late(Comm& comm, const Outcome& own);
    bool may_fail(Comm& comm);

    std::vector<std::shared_ptr<Force>> forces_;
    // By their devices when added, the same on all ranks, also after a failure; one that can replace results is first.
    Part on_devices_, on_host_;
    bool counts_apart_ = false;         // MutualAcceleration is summed in this computation
    const Force* replacing_ = nullptr;  // whose results replace those there in this computation; null: none
    std::shared_ptr<const OwnResults> own_results_;  // may be null
    std::vector<FailedForce> failed_;
    std::exception_ptr failure_;  // the first of this rank
    bool redo_ = false;           // a force asks to be computed again
    Work work_, total_work_;
    Costs costs_;
    std::optional<bool> may_fail_;  // true if a device of any rank takes part; none: not asked
    DeferredReduction<Outcome> outcome_of_all_{&Outcome::joined};  // on several sites
};

}  // namespace trellis
