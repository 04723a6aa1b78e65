// Particles that stay on a device, in external fields: as on the host.
#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"

namespace trellis::resident_external_test {

using namespace fields;
namespace built_in = trellis::external;

constexpr double timestep = 0.01;

const built_in::Nfw halo{.mass = 2, .scale_radius = 1};
const built_in::RotatingBar bar{.mass = 1, .half_length = 1, .width = 0.2, .thickness = 0.1, .pattern_speed = 2};

const ForceSettings settings{.theta = 0.6,
                             .method = Method::tree,
                             .order = 1,
                             .group_size = 50,
                             .leaf_size = 8,
                             .precision = Precision::double_,
                             .lists = Lists::reuse,
                             .reuse_steps = 4};

std::unique_ptr<ResidentSimulation> begun(const ParticleSet& particles, double time = 0,
                                          const std::shared_ptr<Device>& device = open_device("cpu")) {
    auto sim = std::make_unique<ResidentSimulation>(particles, 0.05, 1, settings, timestep, device);
    sim->add_external(external_field(halo));
    sim->add_external(external_field(bar));
    sim->set_time(time);
    return sim;
}

double largest_difference(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    const auto compare = [&](const auto& x, const auto& y) { largest = std::max(largest, std::abs(x - y)); };
    for (std::size_t row = 0; row < a.size(); ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            compare(a[position][row][axis], b[position][row][axis]);
            compare(a[acceleration][row][axis], b[acceleration][row][axis]);
        }
        compare(a[potential][row], b[potential][row]);
        compare(a[external_potential][row], b[external_potential][row]);
    }
    return largest;
}

TEST(DeviceResidentExternal, is_that_of_the_host) {
    const auto on_host = std::make_shared<ParticleSet>(models::plummer(1000, 1));
    Simulation host(on_host, timestep);
    host.keep_order(true);
    host.add_force(gravity(0.05, 1, settings, open_device("cpu")));
    host.add_force(external_force(halo));
    host.add_force(external_force(bar));
    ParticleSet there = models::plummer(1000, 1);
    const auto resident = begun(there);
    for (int k = 0; k < 10; ++k) {
        host.step();
        resident->step();
    }
    resident->download(there);
    EXPECT_LT(largest_difference(there, *on_host), 1e-11);
    EXPECT_LT(there[external_potential][0], -1);
    EXPECT_GT(resident->phases().seconds(Phase::force_kernel), 0);
}

TEST(DeviceResidentExternal, resumed_has_the_bits_of_the_unbroken_run) {
    ParticleSet kept = models::plummer(500, 1), expected = models::plummer(500, 1);
    const auto unbroken = begun(kept, 0.5), first = begun(kept, 0.5);
    unbroken->run_steps(7);
    unbroken->download(expected);
    first->run_steps(3);
    first->save(kept);
    const auto resumed = begun(kept);
    resumed->resume(first->time(), 3, kept);
    ParticleSet again = models::plummer(500, 1);
    resumed->download(again);
    EXPECT_EQ(again[external_potential][3], kept[external_potential][3]) << "known without a step";
    resumed->run_steps(4);
    resumed->download(kept);
    EXPECT_EQ(largest_difference(kept, expected), 0);
}

TEST(DeviceResidentExternal, has_no_potential_before_the_first_force) {
    ParticleSet particles = models::plummer(50, 1);
    begun(particles, 0, std::make_shared<FaultyDevice>(Fault::none, 0))->download(particles);
    for (const double value : particles[external_potential]) EXPECT_EQ(value, 0);
}

struct Friction {
    using Target = Fields<Position, Velocity>;
    using Result = Fields<Acceleration>;
    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const { sum[acceleration] -= i[velocity]; }
};

TEST(DeviceResidentExternal, refuses_what_reads_more_than_positions) {
    const auto sim = begun(models::plummer(10, 1));
    EXPECT_NE(message_of([&] { sim->add_external(external_field(Friction())); }).find("has no kernel for particles"),
              std::string::npos);
}

}  // namespace trellis::resident_external_test
