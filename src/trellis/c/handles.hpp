// The objects that handles of the C calls point to.
#pragma once

#include <memory>
#include <optional>

#include "trellis/c/trellis.h"
#include "trellis/run/simulation.hpp"

struct trellis_particles {
    std::shared_ptr<trellis::ParticleSet> set;
};

struct trellis_devices {
    trellis::Devices devices;
};

struct trellis_force {
    std::shared_ptr<trellis::Force> force;
};

struct trellis_simulation {
    trellis::Simulation simulation;
};
