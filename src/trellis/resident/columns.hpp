// Particles that live on a device: their columns there.
#pragma once

#include <memory>

#include "trellis/devices/device.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Further columns of a checkpoint, so that a resumed run has the bits of the unbroken one. The lists in use are not
// kept: they are rebuilt from the columns that they were made from. Names that begin with _ stay out of snapshots.
struct DevicePlace : Field<double, "_device_place", "", "place of the particle on the device"> {};
struct ListedPosition : Field<Vec3<double>, "_listed_position", "length",
                              "position when the interaction lists were made; NaN: there are none"> {};
struct ListedAcceleration : Field<Vec3<double>, "_listed_acceleration", "length / time^2",
                                  "acceleration that the interaction lists were made with"> {};

// A copy of those columns that a device takes, or that a checkpoint has of it.
ParticleSet copy_of_resident(const ParticleSet& particles);

class ResidentColumns {
  public:
    // Copies position, velocity, mass, acceleration, potential and, if asked to, softening to the device, and waits for
    // that. The device must hold them all: throws DeviceError otherwise.
    ResidentColumns(std::shared_ptr<Device> device, Queue& queue, const ParticleSet& particles, bool softenings);

    std::size_t size() const { return size_; }
    const DeviceMemory& position() const { return position_; }
    const DeviceMemory& velocity() const { return velocity_; }
    const DeviceMemory& mass() const { return mass_; }
    const DeviceMemory& softening() const { return softening_; }  // empty: one for all
    const DeviceMemory& acceleration() const { return acceleration_; }
    const DeviceMemory& potential() const { return potential_; }
    const DeviceMemory& external_potential() const { return external_potential_; }

    // Adds the column of external potentials, 0 until a force is computed or they are uploaded, of which uploads and
    // downloads then take care. Again: does nothing.
    void add_external_potential();

    // Queues the reordering: particle k becomes the one that order[k] is. Potentials, about to be computed, are left
    // out.
    void reorder(const DeviceMemory& order);
    // Queues the return to the accelerations that the last reorder has put into this order.
    void restore_accelerations(const DeviceMemory& order);
    // Makes reorder note what lists are made from: positions, and accelerations if wanted.
    void note_for_lists(bool accelerations);

    // Copies all columns back, to the rows in which the particles came; softenings apart, which do not change.
    void download(ParticleSet& particles);

    // Downloads, and fills the columns for a checkpoint, which are added where they are missing.
    void save(ParticleSet& particles);
    // Copies the particles to the device again, in the order that save has noted, if it has.
    void upload(const ParticleSet& particles);
    // Makes position and acceleration those that save has noted for lists. True if it has noted any.
    bool recall_for_lists(const ParticleSet& particles);

  private:
    template <class T>
    void reorder(const DeviceMemory& order, DeviceMemory& column, DeviceMemory& spare);
    template <class T>
    const T* fetch(const DeviceMemory& column, std::size_t offset);
    const std::uint32_t* fetch_rows();
    template <class T>
    void take(const DeviceMemory& column, const std::uint32_t* rows, std::span<T> to);
    template <class T>
    void send(const DeviceMemory& column, std::span<const std::uint32_t> rows, std::span<const T> from);

    std::shared_ptr<Device> device_;
    Queue& queue_;
    std::size_t size_;
    DeviceMemory position_, velocity_, mass_, softening_, acceleration_, potential_;
    DeviceMemory external_potential_;  // empty unless added
    DeviceMemory row_;                 // the row in which each particle came
    DeviceMemory spare_vectors_, spare_doubles_, spare_rows_;
    DeviceMemory listed_position_, listed_acceleration_;  // empty unless noted
    bool listed_ = false;
    HostMemory fetched_;
};

}  // namespace trellis
