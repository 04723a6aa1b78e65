// Steps limited by pairs of particles under gravity: a force without results.
//
// With s^2 = r^2 + (e_i^2 + e_j^2) / 2 for the distance r of particles i and j and their softenings e, and their
// relative velocity w, i may take a step
//   sqrt(2 eta) min over j of   sqrt(s^3 / (G (m_i + m_j)))   (free fall)   and   s / w   (fly-by)
// as these are in the middle of the step, to first order, so that a pair parts on the steps on which it came
// (Pelupessy, Jaenes & Portegies Zwart 2012, New Astronomy 17, 711). Both particles of a pair have this limit: they are
// on short steps before they are near. Two bodies on a circular orbit take 28 steps in it with eta = 0.025.
//
// In expanding space that holds of physical distances a s and peculiar velocities w / a, w being the difference of
// canonical momenta: it is a^1.5 times the step by s and w / sqrt(a).
#pragma once

#include <utility>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/step_limit.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// In expanding space the time is the scale factor a.
enum class Space { at_rest, expanding };

class EncounterLimit final : public ForceWithoutResults {
  public:
    // softening, G: those of the gravity, which sets the field `softening`. eta: of individual steps
    // (HierarchicalSteps).
    EncounterLimit(GravitySoftening softening, double G, double eta, Space space)
        : softening_(std::move(softening)), G_(G), eta_(checked_eta(eta)), space_(space) {}

    // By pairs of active rows, those of other ranks among them; as other limits, for eta = 0.025.
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* ranks,
                       std::span<double> steps) const override;

  private:
    GravitySoftening softening_;
    double G_, eta_;
    Space space_;
};

}  // namespace trellis
