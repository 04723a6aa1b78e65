// Particles of a model whose softenings differ.
#pragma once

#include "unit/particle_models.hpp"

namespace trellis::models {

// One of two softenings for each particle, at random.
inline ParticleSet softened(ParticleSet particles) {
    Random random(4);
    for (double& e : particles.add(fields::softening)) e = random.uniform(0, 1) < 0.5 ? 0.01 : 0.2;
    return particles;
}

inline ParticleSet made(const Model& model, std::size_t size, bool differ) {
    return differ ? softened(model.make(size, 1)) : model.make(size, 1);
}

}  // namespace trellis::models
