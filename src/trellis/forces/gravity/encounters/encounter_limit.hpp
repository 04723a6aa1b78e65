// Steps limited by pairs of particles under gravity: a force without results.
//
// With s^2 = r^2 + epsilon^2 for the distance r of particles i and j, and their relative velocity w, i may take a step
//   sqrt(2 eta) min over j of   sqrt(s^3 / (G (m_i + m_j)))   (free fall)   and   s / w   (fly-by)
// as these are in the middle of the step, to first order, so that a pair parts on the steps on which it came
// (Pelupessy, Jaenes & Portegies Zwart 2012, New Astronomy 17, 711). Both particles of a pair have this limit: they are
// on short steps before they are near. Two bodies on a circular orbit take 28 steps in it with eta = 0.025.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class EncounterLimit final : public Force {
  public:
    // softening: epsilon, 0 or above. G: the constant of gravity. eta: of individual steps (HierarchicalSteps). comm:
    // of the ranks that share the particles.
    EncounterLimit(double softening, double G, double eta, std::shared_ptr<Comm> comm)
        : softening_(softening), G_(G), eta_(eta), comm_(std::move(comm)) {}

    void attach(ParticleSet& /*particles*/, std::size_t /*number*/) override {}
    void dispatch(ParticleSet& /*particles*/, const ForceStep& /*step*/, Phases& /*phases*/) override {}
    Work retrieve(ParticleSet& /*particles*/, Phases& /*phases*/) override { return {}; }
    bool may_fail_after_writing() const override { return false; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return {}; }
    std::span<const FieldInfo> results() const override { return {}; }
    // By pairs of active rows, those of other ranks among them; as other limits, for eta = 0.025. Collective.
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows,
                       std::span<double> steps) const override;
    void reference(const ParticleSet& /*sources*/, const ParticleSet& /*targets*/, std::uint32_t /*row*/,
                   std::int64_t /*self*/, double /*time*/, double* /*values*/) const override {}

  private:
    double softening_, G_, eta_;
    std::shared_ptr<Comm> comm_;
};

}  // namespace trellis
