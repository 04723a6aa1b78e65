// Kick and drift of particles that live on a device.
#pragma once

#include "trellis/base/vec.hpp"
#include "trellis/devices/grid_kernel.hpp"

namespace trellis {

// velocity += acceleration * time
struct Kick {
    static constexpr const char* name = "kick";
    static constexpr Phase phase = Phase::integration;
    double time;
    const Vec3<double>* acceleration = nullptr;
    Vec3<double>* velocity = nullptr;
    auto arrays() { return std::tie(acceleration, velocity); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { velocity[k] += time * acceleration[k]; }
};

// position += velocity * time
struct Drift {
    static constexpr const char* name = "drift";
    static constexpr Phase phase = Phase::integration;
    double time;
    const Vec3<double>* velocity = nullptr;
    Vec3<double>* position = nullptr;
    auto arrays() { return std::tie(velocity, position); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { position[k] += time * velocity[k]; }
};

using LeapfrogKernels = GridKernels<Kick, Drift>;

// Makes the kernels known to the processor and, in a build with CUDA, to GPUs.
void register_leapfrog_kernels();
void register_leapfrog_kernels_for_cuda();

}  // namespace trellis
