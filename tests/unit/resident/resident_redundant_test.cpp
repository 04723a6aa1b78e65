// Particles that stay on two devices which compute the same: downloads are compared.
#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/devices/redundant/redundant_device.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/resident/fluid.hpp"
#include "unit/resident/reused_lists.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::resident_redundant_test {

namespace built_in = trellis::external;

// The particles as a checkpoint has them after some steps.
std::shared_ptr<ParticleSet> after_steps(const std::shared_ptr<Device>& device,
                                         const ForceSettings& settings = reused_lists()) {
    auto particles = moving_plummer(700);
    ResidentSimulation sim(*particles, 0.05, 1, settings, 0.01, device);
    sim.add_external(external_field(built_in::Nfw{.mass = 2, .scale_radius = 1}));
    sim.save(*particles);  // before any force
    sim.run_steps(7);
    sim.save(*particles);
    return particles;
}

std::shared_ptr<Device> both(Fault fault, int good_launches) {
    const auto first = std::make_shared<FaultyDevice>(Fault::none, 0, "a:0", std::byte{0x00});
    const auto second = std::make_shared<FaultyDevice>(fault, good_launches, "a:1", std::byte{0x5a});
    return std::make_shared<RedundantDevice>(RedundantDevice::Members{first, second}, std::make_shared<SpareDevices>());
}

TEST(DeviceResidentRedundant, has_the_bits_of_one_device) {
    for (const ForceSettings& settings : {reused_lists(), reused_expansions()})
        expect_same_bits(*after_steps(both(Fault::none, 0), settings),
                         *after_steps(std::make_shared<FaultyDevice>(Fault::none, 0, "a:0"), settings));
}

// Atoms, whose lists the host makes of copied positions; lists are outgrown at times.
TEST(DeviceResidentRedundant, has_the_bits_of_one_device_for_atoms) {
    const auto after_steps = [](const std::shared_ptr<Device>& device) {
        ParticleSet atoms = fluid(500, 3);
        ResidentSimulation sim(atoms, lennard_jones(1, 1, 2.5), 0.004, device);
        sim.run_steps(40);
        EXPECT_GT(sim.list_use().early, 0U);
        sim.save(atoms);
        return copy_of(atoms);
    };
    expect_same_bits(*after_steps(both(Fault::none, 0)),
                     *after_steps(std::make_shared<FaultyDevice>(Fault::none, 0, "a:0")));
    EXPECT_NE(message_of<DeviceError>([&] { after_steps(both(Fault::one_bit, 100)); }).find("gave two results that"),
              std::string::npos);
}

TEST(DeviceResidentRedundant, ends_if_one_device_is_faulty) {
    for (const Fault fault : {Fault::one_bit, Fault::wrong})
        for (const int good_launches : {0, 300})
            EXPECT_NE(message_of<DeviceError>([&] {
                          after_steps(both(fault, good_launches));
                      }).find("device a:0 + a:1 gave two results that differ"),
                      std::string::npos);
}

}  // namespace trellis::resident_redundant_test
