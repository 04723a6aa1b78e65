// Kick and drift of particles that live on a device.
#pragma once

#include "trellis/base/gpu.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/devices/grid_kernel.hpp"
#include "trellis/resident/kernels/state.hpp"

namespace trellis {

// velocity += acceleration * time, unless the lists turned out to be invalid: then the forces are computed again, and
// the kick is repeated.
struct Kick {
    static constexpr const char* name = "kick";
    static constexpr Phase phase = Phase::integration;
    double time;
    const Vec3<double>* acceleration = nullptr;
    const ResidentValues* state = nullptr;
    Vec3<double>* velocity = nullptr;
    auto arrays() { return std::tie(acceleration, state, velocity); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (state->lists_invalid == 0) velocity[k] += time * acceleration[k];
    }
};

// position += velocity * time
struct Drift {
    static constexpr const char* name = "drift";
    static constexpr Phase phase = Phase::integration;
    double time;
    const Vec3<double>* velocity = nullptr;
    Vec3<double>* position = nullptr;
    auto arrays() { return std::tie(velocity, position); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { position[k] += time * velocity[k]; }
};

using LeapfrogKernels = GridKernels<Kick, Drift>;

// Registers the kernels for all kinds of devices.
void register_leapfrog_kernels();
// The part for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_leapfrog_kernels_for_gpus())

}  // namespace trellis
