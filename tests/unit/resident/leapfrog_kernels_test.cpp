#include "trellis/resident/kernels/leapfrog_kernels.hpp"

#include <gtest/gtest.h>

#include "trellis/devices/remote/open.hpp"
#include "trellis/integrate/leapfrog.hpp"
#include "unit/particle_models.hpp"
#include "unit/resident/downloaded.hpp"

namespace trellis::leapfrog_kernels_test {

using namespace fields;

TEST(DeviceLeapfrog, has_the_hosts_bits) {
    ParticleSet particles = models::plummer(3000, 1);
    models::Random random(2);
    for (auto& v : particles[velocity]) v = random.direction();
    for (auto& a : particles[acceleration]) a = random.direction();
    const auto device = open_device("cpu");
    const auto queue = device->make_queue();
    const auto sent = [&](std::span<const Vec3<double>> values) {
        DeviceMemory memory(device, values.size_bytes());
        queue->upload(memory, 0, std::as_bytes(values));
        queue->wait();
        return memory;
    };
    const DeviceMemory x = sent(particles[position]), v = sent(particles[velocity]), a = sent(particles[acceleration]);
    register_leapfrog_kernels();
    const ResidentState state(device, *queue);
    launch_grid(*queue, Kick{0.013}, particles.size(), a, state.memory(), v);
    launch_grid(*queue, Drift{0.026}, particles.size(), v, x);
    kick_and_drift(particles, 0.013, 0.026);
    EXPECT_TRUE(std::ranges::equal(downloaded<Vec3<double>>(*queue, v, particles.size()), particles[velocity]));
    EXPECT_TRUE(std::ranges::equal(downloaded<Vec3<double>>(*queue, x, particles.size()), particles[position]));
}

}  // namespace trellis::leapfrog_kernels_test
