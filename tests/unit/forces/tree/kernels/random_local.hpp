// A local expansion with terms of order 1.
#pragma once

#include "trellis/forces/tree/expansions/expansion.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

template <int Order>
Terms<double, Order> random_local() {
    models::Random random(2);
    Terms<double, Order> local;
    for (double& coefficient : local) coefficient = random.uniform(-1, 1);
    return local;
}

}  // namespace trellis
