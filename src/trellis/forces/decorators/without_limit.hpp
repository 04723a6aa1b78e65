// A force that limits no steps, since another limit is asked for.
#pragma once

#include <memory>
#include <utility>

#include "trellis/forces/decorators/forwarding_force.hpp"

namespace trellis {

class WithoutLimit final : public ForwardingForce {
  public:
    explicit WithoutLimit(std::unique_ptr<Force> force) : force_(std::move(force)) {}

    void allowed_steps(const ParticleSet& /*particles*/, double /*time*/, const ActiveRows& /*rows*/, Comm* /*ranks*/,
                       std::span<double> /*steps*/) const override {}

  private:
    Force& inner() override { return *force_; }
    const Force& inner() const override { return *force_; }

    std::unique_ptr<Force> force_;
};

}  // namespace trellis
