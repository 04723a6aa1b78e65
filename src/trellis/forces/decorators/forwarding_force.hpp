// A force that passes every call on to another one.
#pragma once

#include "trellis/forces/force.hpp"

namespace trellis {

// Base of decorators, which own the other force and override what they change.
class ForwardingForce : public Force {
  public:
    const Devices& devices() const override { return inner().devices(); }
    void use_devices(const Devices& devices) override { inner().use_devices(devices); }
    bool drop_list_device(std::string_view failed) override { return inner().drop_list_device(failed); }
    const DeviceUse* device_use() const override { return inner().device_use(); }
    bool may_fail_after_writing() const override { return inner().may_fail_after_writing(); }

    void attach(ParticleSet& particles, std::size_t number) override { inner().attach(particles, number); }
    void resume(ParticleSet& particles, double time, const Ranks* ranks) override {
        inner().resume(particles, time, ranks);
    }
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        inner().dispatch(particles, step, phases);
    }
    Work retrieve(ParticleSet& particles, Phases& phases) override { return inner().retrieve(particles, phases); }
    bool computes_active_rows() const override { return inner().computes_active_rows(); }
    bool sums_over_pairs() const override { return inner().sums_over_pairs(); }
    bool uses_previous_acceleration() const override { return inner().uses_previous_acceleration(); }
    bool counts_for_accuracy() const override { return inner().counts_for_accuracy(); }
    std::uint32_t reuse_steps() const override { return inner().reuse_steps(); }
    const ListUse& list_use() const override { return inner().list_use(); }
    std::vector<std::string> reads() const override { return inner().reads(); }
    std::span<const FieldInfo> results() const override { return inner().results(); }
    double range() const override { return inner().range(); }
    std::span<const Evolution> evolves() const override { return inner().evolves(); }
    std::vector<std::string> checkpoint_columns() const override { return inner().checkpoint_columns(); }
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* ranks,
                       std::span<double> steps) const override {
        inner().allowed_steps(particles, time, rows, ranks, steps);
    }
    void prepare_reference(const ParticleSet& particles, double time, Comm& comm) override {
        inner().prepare_reference(particles, time, comm);
    }
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override {
        inner().reference(sources, targets, row, self, time, values);
    }

  protected:
    virtual Force& inner() = 0;
    virtual const Force& inner() const = 0;
};

}  // namespace trellis
