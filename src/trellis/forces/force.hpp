// A force: something that adds to the result columns of the particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "trellis/base/phase.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/ranks.hpp"

namespace trellis {

struct DeviceUse;

// What a force may know about the step that it is computed for.
struct ForceStep {
    std::span<const double> previous;  // magnitude of each row's last acceleration; empty if there was none
    bool may_reuse = false;            // the same particles in the same rows as last time, a time step later
    const Ranks* ranks =
        nullptr;  // whose particles act, too; none: this rank is alone. Then all that a force does is collective
    bool followed = false;  // other forces are dispatched before this one is retrieved: no exchange may stay under way
    // By how much the positions are ahead of the velocities and of all else that is kicked. While forces are dispatched, results are still the
    // last ones: velocity + since_kick * acceleration is a velocity at the time of the positions.
    double since_kick = 0;
};

// What changes with time beside position and velocity, by the names of two columns alike: value += rate * time wherever velocities are kicked.
struct Evolution {
    std::string value, rate;

    friend bool operator==(const Evolution&, const Evolution&) = default;
};

// How often lists were made, and how often they served again.
struct ListUse {
    std::uint64_t constructions = 0;  // construction steps, the early ones included
    std::uint64_t early = 0;          // those made before their time, since particles had moved beyond the skin
    std::uint64_t reuses = 0;         // reusing steps
};

class Force {
  public:
    virtual ~Force() = default;

    // Adds the columns of the results, where they are missing, and what the force has to find again after a checkpoint.
    // number: 0 for the first force on these particles, and so on.
    virtual void attach(ParticleSet& particles, std::size_t number) = 0;

    // Begins the force on every particle at its present position, and may return before it is known (paper, section 5: dispatch).
    // Positions and results stay untouched until retrieve. Throws InputError if a column that it reads is missing or not finite.
    virtual void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) = 0;

    // Adds what was dispatched last to the result columns. After an error they hold nothing of use.
    virtual Work retrieve(ParticleSet& particles, Phases& phases) = 0;

    // Whether the last acceleration decides how accurate this force has to be.
    virtual bool uses_previous_acceleration() const = 0;

    // Steps that one set of lists may serve; 1 if none are kept.
    virtual std::uint32_t reuse_steps() const = 0;

    // How often it made its lists, and how often they served again.
    virtual const ListUse& list_use() const {
        static constexpr ListUse none;
        return none;
    }

    // What a device did for the last forces; null if there is none.
    virtual const DeviceUse* device_use() const { return nullptr; }

    // The columns that it adds to.
    virtual std::span<const FieldInfo> results() const = 0;

    // What it makes evolve; each rate is among its results, and its columns are there once it is attached. Where several forces name the same
    // two columns, the value follows the sum of what they add to the rate.
    virtual std::span<const Evolution> evolves() const { return {}; }

    // The longest step that should begin where the last forces were computed, as far as these particles go; infinite if any will do.
    virtual double longest_step(const ParticleSet& /*particles*/) const {
        return std::numeric_limits<double>::infinity();
    }

    // What all sources do to one row of targets by direct summation in double precision: a value for each component of results(). self: the row
    // of sources that is the same particle; -1 if none is.
    virtual void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double* values) const = 0;
};

}  // namespace trellis
