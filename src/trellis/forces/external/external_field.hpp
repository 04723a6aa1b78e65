// A field in which particles move, as forces and simulations see it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Rows of particles at a moment.
struct FieldRows {
    const ParticleSet& particles;
    std::size_t first, count;
    double time;            // of the positions
    double since_kick = 0;  // the time by which positions are ahead of velocities: see ForceStep
};

class ExternalField {
  public:
    virtual ~ExternalField() = default;

    // The fields of the particles that the external field reads, and those that it adds to.
    virtual std::span<const FieldInfo> reads() const = 0;
    virtual std::span<const FieldInfo> results() const = 0;

    // Writes the result of the field for each row: all components of a row, then those of the next row.
    virtual void evaluate(const FieldRows& rows, double* values) const = 0;

    // For particles that stay on a device: the name of the kernel; empty without one.
    virtual std::string kernel() const { return {}; }
    // Queues the kernel, which adds the field to accelerations, and to external accelerations and potentials, which the
    // first of several fields replaces.
    virtual void launch(Queue& /*queue*/, double /*time*/, bool /*first*/, std::size_t /*count*/,
                        const DeviceMemory& /*positions*/, const DeviceMemory& /*accelerations*/,
                        const DeviceMemory& /*external_accelerations*/, const DeviceMemory& /*potentials*/) const {}
};

}  // namespace trellis
