// A force that is made with other settings from given times on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/gravity/timed_force.hpp"

namespace trellis {

// Which stage it is in is a matter of the time alone, and lists go over to the next one by the columns that a
// checkpoint keeps: a resumed run has the same bits.
class ScheduledForce final : public Force, public TimedForce {
  public:
    using Make = std::function<std::unique_ptr<Force>(std::size_t stage, const Devices& devices)>;

    // begins: the time at which each stage begins, rising; the first one is that of all times before, too. make: the
    // force of a stage; all have the same columns. Throws InputError if there is no stage or times do not rise, and
    // what make throws.
    ScheduledForce(std::vector<double> begins, Make make, const Devices& devices);

    void set_time(double time) override;

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return force_->may_fail_after_writing(); }
    bool uses_previous_acceleration() const override { return force_->uses_previous_acceleration(); }
    std::uint32_t reuse_steps() const override { return force_->reuse_steps(); }
    const ListUse& list_use() const override { return list_use_; }
    const DeviceUse* device_use() const override { return force_->device_use(); }
    const Devices& devices() const override { return force_->devices(); }
    void use_devices(const Devices& devices) override { force_->use_devices(devices); }
    bool drop_list_device(std::string_view failed) override { return force_->drop_list_device(failed); }
    std::span<const FieldInfo> results() const override { return force_->results(); }
    std::span<const Evolution> evolves() const override { return force_->evolves(); }
    std::vector<std::string> checkpoint_columns() const override { return force_->checkpoint_columns(); }
    double longest_step(const ParticleSet& particles) const override { return force_->longest_step(particles); }
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        force_->reference(sources, targets, row, self, values);
    }

  private:
    std::size_t stage_at(double time) const;
    void enter_stage_at(double time);

    std::vector<double> begins_;
    Make make_;
    std::unique_ptr<Force> force_;  // of the present stage
    std::size_t stage_ = 0;
    std::size_t number_ = 0;      // see attach
    bool attached_ = false;       // the present stage's force
    ListUse list_use_, earlier_;  // earlier_: of the stages before
};

}  // namespace trellis
