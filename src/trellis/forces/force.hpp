// A force: adds to the result columns of the particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/devices.hpp"
#include "trellis/forces/active_rows.hpp"
#include "trellis/forces/device_client.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// The times of individual steps, of which an active row of rung r ends one: 1/2^r of the longest.
struct RungTimes {
    double longest = 0;  // 0 at the first forces, and when nothing has moved
    double elapsed = 0;  // since forces on any rows were computed
};

// The step that a force is computed for, as far as forces may know it.
struct ForceStep {
    // Magnitude of each row's last acceleration by forces that count for accuracy (external/mutual_acceleration.hpp);
    // empty if there was none.
    std::span<const double> previous = {};
    bool may_reuse = false;        // the same particles in the same rows as last time, a time step later
    const Ranks* ranks = nullptr;  // the ranks whose particles act, too, in collective calls; null: a rank alone
    double time = 0;               // of the positions
    // The time by which the positions are ahead of the velocities and of all else that is kicked. While forces are
    // dispatched, results are still the last ones: velocity + since_kick * acceleration is a velocity at the time of
    // the positions.
    double since_kick = 0;
    bool repeated = false;     // a force failed at this step: lists made in it are no longer valid
    std::uint64_t number = 0;  // of the step: the next one has the next number
    // The particles are a level of individual steps: without what a PeriodicComplement adds (a mesh, or images beyond
    // the nearest), and by the host instead of devices if they are few.
    bool level = false;
    ActiveRows active = {};  // rows whose forces are computed, from all particles: see Force::computes_active_rows
    // With individual time steps (integrate/rungs) velocities, and all else that is kicked, are given at `time`.
    std::optional<RungTimes> rungs = {};
    // Retrieve replaces the results there, which are not cleared, instead of adding to them. See Force::can_replace.
    bool replaces = false;
};

// A quantity that changes with time beside position and velocity, by the names of two columns with the same number of
// components: value += rate * time wherever velocities are kicked.
struct Evolution {
    std::string value, rate;

    friend bool operator==(const Evolution&, const Evolution&) = default;
};

// The numbers of times that lists were made, and reused.
struct ListUse {
    std::uint64_t constructions = 0;  // construction steps, the early ones included
    std::uint64_t early = 0;          // construction steps before their time: particles had moved beyond the skin
    std::uint64_t reuses = 0;         // reusing steps
    std::uint64_t prunings = 0;       // reusing steps at which lists were pruned
    std::uint64_t asked = 0;          // reusing steps that began to use lists which a device had made ahead
};

// A subset of particles that act on each other alone is a ParticleSet of its own (particles/particle_subset.hpp).
class Force : public DeviceClient {
  public:
    // Adds the columns of the results, where they are missing, and those that the force needs again after a checkpoint.
    // number: 0 for the first force on these particles, and so on.
    virtual void attach(ParticleSet& particles, std::size_t number) = 0;

    // Before the first dispatch of a run that is resumed at `time`, and whose particles have their forces: finds what
    // the forces of all particles depend on, such as the cells of a mesh. Collective, on all sites together; ranks:
    // null for a rank alone.
    virtual void resume(ParticleSet& /*particles*/, double /*time*/, const Ranks* /*ranks*/) {}

    // Begins the force on every active row at its present position, and may return before it is known (paper, section
    // 5: dispatch). Positions and results stay untouched until retrieve. Throws InputError if a column that it reads is
    // missing or not finite, DeviceError if a device fails. On several ranks the latter may come on one of them alone,
    // but only where the force has nothing left to exchange: other forces still do, and in the end all ranks fail
    // together.
    virtual void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) = 0;

    // Adds the forces dispatched last to the result columns, or replaces what is there (ForceStep::replaces).
    // DeviceError: as in dispatch. After an error the values there are of no use until they are restored with those of
    // checkpoint_columns(), which the simulation does before it repeats a step if may_fail_after_writing().
    virtual Work retrieve(ParticleSet& particles, Phases& phases) = 0;

    // True if retrieve can replace the results of all rows (ForceStep::replaces), which then need not be cleared
    // before.
    virtual bool can_replace() const { return false; }

    // True if the force can be computed for some rows alone (ForceStep::active): results of others stay as they are.
    // False: it must be given all.
    virtual bool computes_active_rows() const { return false; }

    // True if the force on a particle at its position is a sum over pairs, or of the particle alone: then particles of
    // short steps may act on each other more often than on all others (integrate/rungs). Else it acts on each particle
    // at the ends of the particle's steps if it computes active rows, and on all once in each longest step if not.
    virtual bool sums_over_pairs() const { return false; }

    // True if the last acceleration decides how accurate this force has to be.
    virtual bool uses_previous_acceleration() const = 0;

    // True if the accuracy of forces that use the last acceleration refers to that by this one, among others: gravity
    // and charges. False of fields, bonds, pairs within a cutoff and pressure, which may be much stronger.
    virtual bool counts_for_accuracy() const { return false; }

    // The number of steps that one set of lists may serve; 1 if none are kept.
    virtual std::uint32_t reuse_steps() const = 0;

    // The use of the force's lists so far.
    virtual const ListUse& list_use() const {
        static constexpr ListUse none;
        return none;
    }

    // The columns whose values decide the force: if one of them is changed between two steps, the force is computed
    // again. Velocity is among them if the force depends on it. They need not all be there.
    virtual std::vector<std::string> reads() const = 0;

    // The columns that the force adds to.
    virtual std::span<const FieldInfo> results() const = 0;

    // The distance beyond which pairs do not interact; infinite if pairs interact at any distance, or if it differs
    // between particles.
    virtual double range() const { return std::numeric_limits<double>::infinity(); }

    // The quantities that the force makes evolve; each rate is among its results, and its columns are there once it is
    // attached. If several forces name the same two columns, the value follows the sum of what they add to the rate.
    virtual std::span<const Evolution> evolves() const { return {}; }

    // The columns, beside its results, that the force computes from their values at the last step.
    virtual std::vector<std::string> checkpoint_columns() const { return {}; }

    // Lowers steps[k] to the longest step that the k-th active row may begin at `time`, where the last forces were
    // computed. steps: a value for each active row, infinite or what other forces allow. ranks: those that have other
    // active rows, all of which call it; null: this rank alone. No limit by default.
    virtual void allowed_steps(const ParticleSet& /*particles*/, double /*time*/, const ActiveRows& /*rows*/,
                               Comm* /*ranks*/, std::span<double> /*steps*/) const {}

    // Before reference is called at `time` with this rank's particles as sources: finds what is no sum over sources,
    // rank by rank. Collective.
    virtual void prepare_reference(const ParticleSet& /*particles*/, double /*time*/, Comm& /*comm*/) {}

    // The force of all sources on one row of targets at `time` by direct summation in double precision: a value for
    // each component of results(). self: the row of sources that is the same particle; -1 if it is not among them.
    virtual void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double time, double* values) const = 0;
};

}  // namespace trellis
