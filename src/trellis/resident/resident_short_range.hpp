// A force of short range on particles that live on a device. In a construction step the host makes the lists of blocks
// of copied positions, as it does for devices elsewhere, and sends them; in a reusing step the device checks these
// lists, writes the rows that they name, and computes the force, so that no values of particles are copied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/short_range/device/device_neighbours.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/resident/resident_displacements.hpp"
#include "trellis/resident/resident_force.hpp"

namespace trellis {

class ResidentShortRange final : public ResidentForce {
  public:
    // force: its kernels, settings and exclusions. particles: those of the columns.
    ResidentShortRange(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                       std::shared_ptr<const ShortRangeForce> force, const ParticleSet& particles);

    // Waits for positions, and for lists that have been sent.
    void construct(bool by_acceleration, double time, const Then& then) override;
    bool reuse(double time, const Then& then) override;
    void recall_lists(const ParticleSet& particles) override;
    bool has_lists() const override { return have_lists_ || columns_.size() == 0; }
    std::uint32_t reuse_steps() const override { return force_->reuse_steps(); }

    void take_constants(const ParticleSet& particles) override;
    void write_known(ParticleSet& particles) const override;

    Work work() const override { return work_; }

  private:
    void make_lists();
    void send_lists();
    template <class T>
    void send(DeviceMemory& memory, std::span<const T> values);
    void send_values();
    void evaluate(double time);
    template <class R>
    void launch_rows();

    const std::shared_ptr<const ShortRangeForce> force_;
    const double cutoff_;
    ParticleSet particles_;  // on the host, by row: positions when lists were made, constants, ids and images
    Neighbourhood neighbourhood_;
    DeviceNeighbours lists_;
    ResidentDisplacements displacements_;
    SortedColumns sorted_;  // what the interaction reads, in the order of the lists
    NeighbourDeviceKernels kernels_{};
    bool have_lists_ = false, any_masked_ = false;
    std::size_t blocks_count_ = 0, rows_count_ = 0;
    Vec3<double> middle_{};
    Work work_;
    DeviceMemory values_, blocks_, images_, shifts_, table_, rows_, outcome_;
};

// A force of short range in open or periodic space.
class ResidentShortRangeModel final : public ResidentModel {
  public:
    // Throws InputError for a force that particles which stay cannot have.
    explicit ResidentShortRangeModel(std::shared_ptr<const ShortRangeForce> force);

    void check(const ParticleSet& particles) const override;
    std::vector<std::string> constants() const override;
    void add_phases(KernelPhases& phases) const override;
    std::unique_ptr<ResidentForce> make(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                                        const ParticleSet& particles) const override;

  private:
    std::shared_ptr<const ShortRangeForce> force_;
};

}  // namespace trellis
