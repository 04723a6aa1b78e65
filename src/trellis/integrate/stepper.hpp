// One interface for whatever moves particles step by step: Simulation on the host, ResidentSimulation on a device.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/domain/balance.hpp"

namespace trellis {

class Stepper {
  public:
    Stepper() = default;
    virtual ~Stepper() = default;

    // One time step: half a kick, a drift, the forces, half a kick. end: later than time(); the step does not go beyond
    // it, and the last of several ends there exactly.
    virtual void step(double end = unlimited) = 0;
    // True if the time has reached the end, up to a thousandth of a step.
    bool reached(double end) const { return trellis::reached(time(), timestep(), end); }
    // Steps until the end is reached. exact: the last step ends there; else the last of fixed steps is as long as the
    // others, and may go beyond it.
    void run_until(double end, bool exact = true);
    void run_steps(std::uint64_t count);

    // Computes the forces at the present positions; trees and lists are rebuilt.
    virtual void compute_forces() = 0;
    // Computes the forces, unless they are known for the particles as they are.
    virtual void ensure_forces() = 0;
    // The forces are no longer known, since the caller has changed what they depend on.
    virtual void forces_changed() = 0;
    // Takes the values that the caller has changed in the set of particles since it was last downloaded into. Returns
    // true if there were any; false, and does nothing, if that set is moved in place.
    virtual bool take_changes(const ParticleSet& /*particles*/) { return false; }

    virtual double time() const = 0;
    virtual std::uint64_t step_count() const = 0;
    // The length of all steps; if steps are chosen, of the last one: 0 before the first.
    virtual double timestep() const = 0;
    virtual bool has_fixed_steps() const { return true; }

    // Writes the present particles to a set, each to the row that it came from; the further columns of a checkpoint,
    // too. particles: the set that the stepper was made with, or of the same size. Does nothing if that is moved in
    // place.
    virtual void download(ParticleSet& /*particles*/) {}
    virtual void save(ParticleSet& /*particles*/) {}

    // State for a checkpoint, beside the particles: the length that the forces allowed the last chosen step, the
    // division of space, the thermostat, and the barostat. Infinite or empty where there is nothing to keep.
    virtual double step_allowed() const { return unlimited; }
    virtual DomainState domain_state() const { return {}; }
    virtual std::vector<double> thermostat_state() const { return {}; }
    virtual std::vector<double> barostat_state() const { return {}; }
    // The energy of the thermostat's bath, and what a barostat's moves have taken; 0 without them.
    virtual double bath_energy() const { return 0; }
    // ExpansionWork::value() of all steps; 0 if space does not expand. Collective.
    virtual double expansion_work() { return 0; }

    // Times of the last step. Waits for a device.
    virtual const Phases& phases() = 0;
    // The work of the last forces: of this rank, and of all.
    virtual Work work() const = 0;
    virtual Work total_work() const = 0;
    // One sentence for each device of this rank that was replaced since the last call, and for each spare that could
    // not be used.
    virtual std::vector<std::string> take_device_notes() = 0;

  protected:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();
    Stepper(Stepper&&) = default;
    Stepper& operator=(Stepper&&) = default;
};

}  // namespace trellis
