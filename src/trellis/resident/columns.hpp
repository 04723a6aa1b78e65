// Columns of particles that live on a device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Further columns of a checkpoint, which give a resumed run the bits of the unbroken one. The interaction lists are not
// stored: they are rebuilt from the positions and accelerations that they were made from. Columns whose names begin
// with _ stay out of snapshots.
struct DevicePlace : Field<double, "_device_place", "", "place of the particle on the device"> {};
struct ExternalAcceleration
    : Field<Vec3<double>, "_external_acceleration", "length / time^2", "acceleration by all external fields together"> {
};
struct ListedPosition : Field<Vec3<double>, "_listed_position", "length",
                              "position when the interaction lists were made; NaN: no lists"> {};
struct ListedAcceleration : Field<Vec3<double>, "_listed_acceleration", "length / time^2",
                                  "acceleration that the interaction lists were made with"> {};

// A copy of the columns that go to a device, or that a checkpoint stores of it, and of those named `more`, in the same
// region.
ParticleSet copy_of_resident(const ParticleSet& particles, std::span<const std::string> more);

class ResidentColumns {
  public:
    // Copies position, velocity, mass, acceleration, potential and, if `softenings`, softening to the device, and waits
    // for the copies. Throws DeviceError if the device cannot hold all of them.
    ResidentColumns(std::shared_ptr<Device> device, Queue& queue, const ParticleSet& particles, bool softenings);

    std::size_t size() const { return size_; }
    const DeviceMemory& position() const { return position_; }
    const DeviceMemory& velocity() const { return velocity_; }
    const DeviceMemory& mass() const { return mass_; }
    const DeviceMemory& softening() const { return softening_; }  // empty: one softening for all particles
    const DeviceMemory& acceleration() const { return acceleration_; }
    const DeviceMemory& potential() const { return potential_; }
    const DeviceMemory& external_acceleration() const { return external_acceleration_; }
    const DeviceMemory& external_potential() const { return external_potential_; }
    const DeviceMemory& results() const { return results_; }  // see add_results
    const DeviceMemory& listed_position() const { return listed_position_; }

    // Adds columns of external accelerations and potentials, 0 until a force is computed or they are uploaded; from
    // then on uploads and downloads include them. A second call does nothing.
    void add_external();
    // Queues the subtraction of the external accelerations: accelerations are those of the particles by each other
    // then, until the next force.
    void leave_mutual_accelerations();

    // Adds columns of further results of the force, one array for each component: 0 until a force is computed or they
    // are uploaded. From then on uploads and downloads include them.
    void add_results(std::vector<FieldInfo> results);

    // Downloads the positions to the rows that the particles came from.
    void download_positions(ParticleSet& particles);
    // Queues the reordering of the particles: place k is taken by the one that came from row rows[k], at the position
    // of that row.
    void arrange(std::span<const std::uint32_t> rows, const ParticleSet& particles);

    // Queues the reordering of the columns: particle k becomes the former particle order[k]. Potentials and external
    // accelerations are left out, since they are computed next.
    void reorder(const DeviceMemory& order);
    // Queues the restoration of the accelerations that the last reorder had put into this order.
    void restore_accelerations(const DeviceMemory& order);
    // Makes reorder keep a copy of the columns that lists are made from: positions, and, if `accelerations`,
    // accelerations.
    void note_for_lists(bool accelerations);

    // Copies all columns but softening, which steps do not change, back to the rows that the particles came from.
    void download(ParticleSet& particles);

    // Downloads, softenings as well, and fills the columns of a checkpoint, adding those that are missing.
    void save(ParticleSet& particles);
    // Copies the particles to the device again; if save has stored their order on the device, in that order.
    void upload(const ParticleSet& particles);
    // Uploads the positions and accelerations that save has stored for lists. Returns false if it has not stored any.
    bool recall_for_lists(const ParticleSet& particles);

  private:
    template <class T>
    void reorder(const DeviceMemory& order, DeviceMemory& column, DeviceMemory& spare);
    template <class T>
    const T* fetch(const DeviceMemory& column, std::size_t begin, std::size_t offset);
    void send_results(std::span<const std::uint32_t> rows, const ParticleSet& particles);
    void take_results(const std::uint32_t* rows, ParticleSet& particles);
    const std::uint32_t* fetch_rows();
    template <class T>
    void take(const DeviceMemory& column, const std::uint32_t* rows, std::span<T> to);
    template <class T>
    void send(const DeviceMemory& column, std::span<const std::uint32_t> rows, std::span<const T> from);

    std::shared_ptr<Device> device_;
    Queue& queue_;
    std::size_t size_;
    DeviceMemory position_, velocity_, mass_, softening_, acceleration_, potential_;
    DeviceMemory external_acceleration_, external_potential_;  // empty unless added
    std::vector<FieldInfo> further_;                           // the fields of results_
    DeviceMemory results_;                                     // empty unless added
    DeviceMemory order_;                                       // the former place of each particle, for arrange
    DeviceMemory row_;                                         // row that each particle came from
    DeviceMemory spare_vectors_, spare_doubles_, spare_rows_;
    DeviceMemory listed_position_, listed_acceleration_;  // empty unless note_for_lists was called
    bool listed_ = false;
    HostMemory fetched_;
};

}  // namespace trellis
