// Particles that live on a device: their columns there.
#pragma once

#include <memory>

#include "trellis/devices/device.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class ResidentColumns {
  public:
    // Copies position, velocity, mass, acceleration and potential to the device, and waits for that. The device must hold them all: throws
    // DeviceError otherwise.
    ResidentColumns(std::shared_ptr<Device> device, Queue& queue, const ParticleSet& particles);

    std::size_t size() const { return size_; }
    const DeviceMemory& position() const { return position_; }
    const DeviceMemory& velocity() const { return velocity_; }
    const DeviceMemory& mass() const { return mass_; }
    const DeviceMemory& acceleration() const { return acceleration_; }
    const DeviceMemory& potential() const { return potential_; }

    // Queues that particle k becomes the one that order[k] is. Not of the potential, which is about to be computed.
    void reorder(const DeviceMemory& order);

    // Copies all of it back, to the rows in which the particles came.
    void download(ParticleSet& particles);

  private:
    template <class T>
    void reorder(const DeviceMemory& order, DeviceMemory& column, DeviceMemory& spare);
    template <class T>
    const T* fetch(const DeviceMemory& column, std::size_t offset);

    std::shared_ptr<Device> device_;
    Queue& queue_;
    std::size_t size_;
    DeviceMemory position_, velocity_, mass_, acceleration_, potential_;
    DeviceMemory row_;  // in which each particle came
    DeviceMemory spare_vectors_, spare_doubles_, spare_rows_;
    HostMemory fetched_;
};

}  // namespace trellis
