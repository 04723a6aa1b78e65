// Steps limited by the tidal field of gravity (Grudic & Hopkins 2020, MNRAS 495, 4306): a particle takes a share of the
// time in which tides pull its neighbourhood apart, whatever the softening is.
#pragma once

#include <memory>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree/force_by_tree.hpp"

namespace trellis {

// A force that computes the tidal tensor, and accelerates nothing. The step of a particle is sqrt(2 eta sqrt(6) / |T|)
// with Frobenius' norm of the tensor and eta = 0.025; around a point mass that is sqrt(2 eta) over the angular velocity
// of a circular orbit. The tensor is summed over superparticles, with errors of some per cent; in a periodic box, over
// nearest images.
class TidalLimit : public ForceByTree {
  public:
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override;

  protected:
    using ForceByTree::ForceByTree;
};

// softening, G: those of the gravity. devices: where tides are computed; none: on the host.
std::unique_ptr<TidalLimit> tidal_limit(const GravitySoftening& softening, double G, const Devices& devices = {});

}  // namespace trellis
