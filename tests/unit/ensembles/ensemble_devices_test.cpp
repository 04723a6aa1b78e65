// Systems whose devices fail or give wrong results.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "trellis/devices/redundant/device_pairs.hpp"
#include "trellis/devices/remote/open.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"

namespace trellis::ensemble_devices_test {
namespace {

using namespace fields;

TEST(Ensemble, ContinuesWithoutAFaultyDevice) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    const ParticleSet* systems[] = {&box, &box};
    const SystemSettings settings[] = {{.timestep = 0.002}, {.timestep = 0.003}};
    const auto after_steps = [&](const Devices& devices, std::size_t notes) {
        Ensemble ensemble = of_atoms(systems, settings, devices);
        for (int call = 0; call < 6; ++call) ensemble.advance(5, 5);
        ParticleSet end = system_of(ensemble, 1, box);
        EXPECT_EQ(ensemble.take_device_notes().size(), notes);
        return end;
    };
    const ParticleSet expected = after_steps(open_device("cpu"), 0);
    for (const Fault fault : {Fault::one_bit, Fault::one_bit_each}) {
        const auto good = std::make_shared<FaultyDevice>(Fault::none, 0, "good:0");
        const auto faulty = std::make_shared<FaultyDevice>(fault, 3, "faulty:0");
        DevicePairs pairs(std::make_shared<SpareDevices>());
        const ParticleSet end = after_steps(pairs.of(Devices({good, faulty, open_device("cpu")})), 2);
        for (std::size_t k = 0; k < box.size(); ++k) EXPECT_EQ(end[position][k], expected[position][k]);
    }
}

// Memory of earlier uploads is released only after they have arrived; the address sanitizer would report it otherwise.
TEST(Ensemble, EndsWithASentenceWhereADeviceIsTooSmall) {
    const ParticleSet atoms = lattice_atoms(512, 0, 1);
    const ParticleSet* systems[] = {&atoms};
    const SystemSettings settings[] = {{.timestep = 0.002}};
    const auto small = make_cpu_device(20'000, 1);
    EXPECT_THROW(of_atoms(systems, settings, Devices(small)), DeviceError);
    EXPECT_EQ(small->memory_left(), 20'000);
}

// All repeated calls of a lost device's parts are begun before the first is waited for.
TEST(Ensemble, RepeatsCallsOfLostPartsSideBySide) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    const ParticleSet* systems[] = {&box, &box, &box, &box};
    const std::vector<SystemSettings> settings(4, {.timestep = 0.002});
    const auto lost = std::make_shared<FaultyDevice>(Fault::lost, 2);
    const auto good = std::make_shared<FaultyDevice>(Fault::none, 0, "good:0");
    Ensemble ensemble = of_atoms(systems, settings, Devices({lost, good}));
    ensemble.divide(2);
    ensemble.advance(5, 5);
    ensemble.advance(5, 5);
    EXPECT_EQ(ensemble.take_device_notes().size(), 1U);
    EXPECT_TRUE(good->log().ends_with("ww")) << good->log();
}

// A caller that finishes parts one by one does not wait for repeated calls either: the remaining device has all of them
// under way at once.
TEST(Ensemble, RepeatsCallsOfLostPartsBesideAllOthers) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    const ParticleSet* systems[] = {&box, &box, &box, &box};
    const std::vector<SystemSettings> settings(4, with_langevin);
    const auto lost = std::make_shared<FaultyDevice>(Fault::lost, 2);
    const auto good = std::make_shared<FaultyDevice>(Fault::none, 0, "good:0");
    Ensemble ensemble = of_atoms(systems, settings, Devices({lost, good}));
    ensemble.divide(2);
    std::vector<SystemEnergies> energies(4);
    for (std::size_t part = 0; part < 4; ++part) ensemble.begin(part, 5);
    for (std::size_t part = 0; part < 4; ++part) EXPECT_TRUE(ensemble.finish(part, energies));
    for (std::size_t part = 0; part < 4; ++part) ensemble.begin(part, 5);
    EXPECT_FALSE(ensemble.finish(0, energies));
    EXPECT_FALSE(ensemble.finish(1, energies));
    EXPECT_EQ(good->under_way(), 4);
    for (std::size_t part = 0; part < 4; ++part) EXPECT_TRUE(ensemble.finish(part, energies));
    EXPECT_EQ(ensemble.take_device_notes().size(), 1U);
    Ensemble undisturbed = of_atoms(systems, settings);
    const auto expected = undisturbed.advance(10, 10);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(energies[k].kinetic, expected[k].kinetic);
    EXPECT_EQ(ensemble.state().columns, undisturbed.state().columns);
}

TEST(Ensemble, KeepsNotesOfDevicesWhenItsSystemsAreDividedAgain) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    const ParticleSet* systems[] = {&box, &box};
    const SystemSettings settings[] = {{.timestep = 0.002}, {.timestep = 0.003}};
    const auto lost = std::make_shared<FaultyDevice>(Fault::lost, 1);
    Ensemble ensemble = of_atoms(systems, settings, Devices({lost, open_device("cpu")}));
    for (int call = 0; call < 3; ++call) ensemble.advance(5, 5);
    ensemble.divide(2);
    EXPECT_EQ(ensemble.take_device_notes().size(), 1U);
}

}  // namespace
}  // namespace trellis::ensemble_devices_test
