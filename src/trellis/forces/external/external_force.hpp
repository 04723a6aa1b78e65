// An external field as a force. It does not conserve momentum; it conserves energy unless it changes with time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/external/external_field.hpp"
#include "trellis/forces/force.hpp"

namespace trellis {

class ExternalForce final : public Force {
  public:
    explicit ExternalForce(std::shared_ptr<const ExternalField> field);

    void attach(ParticleSet& particles, std::size_t number) override;
    // Evaluates the field. Throws InputError, too, if a value of it is not finite.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return false; }
    // A field that depends on velocity is not one of the particle's position.
    bool sums_over_pairs() const override;
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return names_of(field_->reads()); }
    std::span<const FieldInfo> results() const override { return field_->results(); }
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

  private:
    void check_values(const ParticleSet& particles, double time) const;

    std::size_t width() const { return components_of(field_->results()); }

    std::shared_ptr<const ExternalField> field_;
    std::vector<double> values_;  // results of the field, between dispatch and retrieve
};

}  // namespace trellis
