// A force among particles of some types only: gas beside stars and dark matter.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"

namespace trellis {

// The type of a particle as Gadget numbers it, and the names of the types.
inline constexpr std::array<const char*, 6> particle_types{"gas", "halo", "disk", "bulge", "stars", "boundary"};
struct ParticleType : Field<double, "type", "", "Gadget's particle type, 0 to 5"> {};
namespace fields {
inline constexpr ParticleType particle_type;
}  // namespace fields

// Lets a force see only the particles whose field `type` is one of some types: they act, and they are acted on; the
// results of all others stay as they are. Without that field all particles count. The force sees them as a set of its
// own, with copies of all columns.
class AmongTypes : public Force {
  public:
    // Throws InputError if there are no types.
    AmongTypes(std::unique_ptr<Force> force, std::vector<double> types);

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return force_->may_fail_after_writing(); }
    bool uses_previous_acceleration() const override { return force_->uses_previous_acceleration(); }
    std::uint32_t reuse_steps() const override { return force_->reuse_steps(); }
    const ListUse& list_use() const override { return force_->list_use(); }
    const DeviceUse* device_use() const override { return force_->device_use(); }
    const Devices& devices() const override { return force_->devices(); }
    void use_devices(const Devices& devices) override { force_->use_devices(devices); }
    bool drop_list_device(std::string_view failed) override { return force_->drop_list_device(failed); }
    std::span<const FieldInfo> results() const override { return force_->results(); }
    std::span<const Evolution> evolves() const override { return force_->evolves(); }
    std::vector<std::string> checkpoint_columns() const override { return force_->checkpoint_columns(); }
    double longest_step(const ParticleSet& particles) const override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override;

  private:
    bool counts(double type) const;
    std::vector<std::uint32_t> rows_that_count(const ParticleSet& particles) const;
    bool choose_rows(const ParticleSet& particles);

    std::unique_ptr<Force> force_;
    std::vector<double> types_;
    std::vector<std::string> own_;  // columns that the force writes
    ParticleSet chosen_{0};
    std::vector<std::uint32_t> rows_;  // rows of chosen_, among all
    std::uint64_t arrangement_ = 0;    // that of all particles, when the rows were chosen
    std::vector<double> previous_;     // accelerations of the chosen
};

}  // namespace trellis
