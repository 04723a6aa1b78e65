// A force that does nothing: tests derive from it what they need.
#pragma once

#include "trellis/forces/force.hpp"

namespace trellis {

class PlainForce : public Force {
  public:
    void attach(ParticleSet&, std::size_t) override {}
    void dispatch(ParticleSet&, const ForceStep&, Phases&) override {}
    Work retrieve(ParticleSet&, Phases&) override { return {}; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return {Position::name}; }
    std::span<const FieldInfo> results() const override { return {}; }
    void reference(const ParticleSet&, const ParticleSet&, std::uint32_t, std::int64_t, double,
                   double*) const override {}
};

}  // namespace trellis
