// A force among particles of some types only: gas beside stars and dark matter.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/decorators/forwarding_force.hpp"
#include "trellis/particles/particle_subset.hpp"

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
class AmongTypes final : public ForwardingForce {
  public:
    // Throws InputError if there are no types.
    AmongTypes(std::unique_ptr<Force> force, std::vector<double> types);

    void attach(ParticleSet& particles, std::size_t number) override;
    void resume(ParticleSet& particles, double time, const Ranks* ranks) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    std::vector<std::string> reads() const override;
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* ranks,
                       std::span<double> steps) const override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

  private:
    Force& inner() override { return *force_; }
    const Force& inner() const override { return *force_; }
    bool counts(double type) const;
    std::vector<std::uint32_t> rows_that_count(const ParticleSet& particles) const;
    ActiveRows active_of_subset(const ActiveRows& active, std::size_t rows);

    std::unique_ptr<Force> force_;
    std::vector<double> types_;
    std::vector<std::string> written_;  // columns that the force writes
    ParticleSubset subset_;
    std::vector<double> previous_;       // accelerations of the subset
    std::vector<std::uint32_t> active_;  // rows of the subset
};

}  // namespace trellis
