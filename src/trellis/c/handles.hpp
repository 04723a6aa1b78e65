// The objects that handles of the C calls point to.
#pragma once

#include <memory>

#include "trellis/c/trellis.h"
#include "trellis/run/simulation.hpp"

struct trellis_particles {
    std::shared_ptr<trellis::ParticleSet> set;
};

struct trellis_devices {
    trellis::Devices devices;
};

// None, so the threads of this process, for a null pointer.
inline trellis::Devices devices_of(const trellis_devices* devices) {
    return devices == nullptr ? trellis::Devices() : devices->devices;
}

struct trellis_force {
    std::shared_ptr<trellis::Force> force;
};

struct trellis_simulation {
    trellis::Simulation simulation;
};
