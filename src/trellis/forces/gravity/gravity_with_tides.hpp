// Gravity that limits steps by its tidal field (Grudic & Hopkins 2020, MNRAS 495, 4306): a particle takes a share of
// the time in which tides pull its neighbourhood apart, whatever the softening is.
#pragma once

#include <memory>
#include <vector>

#include "trellis/forces/decorators/forwarding_force.hpp"

namespace trellis {

// The step of a particle is sqrt(2 eta sqrt(6) / |T|) with Frobenius' norm of the tensor and eta = 0.025; around a
// point mass that is sqrt(2 eta) over the angular velocity of a circular orbit. The tensor is summed over
// superparticles, with errors of some per cent; in a periodic box, over nearest images.
class GravityWithTides final : public ForwardingForce {
  public:
    // gravity: on the host. softening, G: those of the gravity.
    GravityWithTides(std::unique_ptr<Force> gravity, double softening, double G);

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    std::span<const FieldInfo> results() const override { return results_; }
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows,
                       std::span<double> steps) const override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

  private:
    Force& inner() override { return *gravity_; }
    const Force& inner() const override { return *gravity_; }

    std::unique_ptr<Force> gravity_, tides_;
    std::vector<FieldInfo> results_;
};

}  // namespace trellis
