// Short-range forces on a device: against the sum over all pairs and images, and against the host with the same lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::short_range_device_test {

using namespace fields;

ShortRangeSettings on(const std::shared_ptr<Device>& device, Precision precision = Precision::single_) {
    return {.precision = precision, .device = device};
}

template <class How>
void compare(int ranks, const Region& region, double cutoff, Precision precision) {
    const auto start = scattered(500, region, 0.2);
    const auto force = [&] {
        const ShortRangeSettings settings = on(open_device("cpu"), precision);
        return std::vector<std::shared_ptr<Force>>{short_range_force(Probe<How>{cutoff}, settings)};
    };
    const double tolerance = precision == Precision::single_ ? 1e-6 : 1e-13;
    EXPECT_GT(expect_exact(*force()[0], *run_on_ranks(ranks, *start, force, 0), tolerance), start->size());
}

class ShortRangeDevice : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OfRanks, ShortRangeDevice, testing::Values(1, 3));

TEST_P(ShortRangeDevice, sums_over_those_within_reach_and_their_images) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const Region& region : {Region{}, slab(), cube}) {
            compare<Cutoff>(GetParam(), region, 0.08, precision);
            compare<Gather<Reach>>(GetParam(), region, 0, precision);
            compare<Scatter<Reach>>(GetParam(), region, 0, precision);
            compare<Symmetric<Reach>>(GetParam(), region, 0, precision);
        }
}

TEST(ShortRangeDevice, finds_all_images_within_a_reach_beyond_the_box) {
    compare<Cutoff>(1, cube, 1.2, Precision::double_);
}

// A liquid in a periodic box whose low corner is at from_origin along each axis.
ParticleSet liquid(std::size_t cells, double from_origin) {
    constexpr double spacing = 1.1;
    const double side = spacing * static_cast<double>(cells);
    ParticleSet atoms(cells * cells * cells);
    atoms.set_region(
        {{from_origin, from_origin, from_origin}, {from_origin + side, from_origin + side, from_origin + side}});
    models::Random random(1);
    for (std::size_t row = 0; row < atoms.size(); ++row) {
        const std::array cell{row % cells, row / cells % cells, row / cells / cells};
        for (std::size_t axis = 0; axis < 3; ++axis)
            atoms[position][row][axis] =
                from_origin + spacing * (static_cast<double>(cell[axis]) + random.uniform(0.4, 0.6));
        atoms[velocity][row] = random.direction();
        atoms[mass][row] = row % 2 == 0 ? 1 : 2.5;
    }
    return atoms;
}

std::unique_ptr<ShortRangeForce> lennard_jones_on(const ShortRangeSettings& settings) {
    return lennard_jones(1.3, 1.05, 2.6, Truncation::force_shifted, settings);
}

// The largest difference over the largest acceleration of b.
double apart(const ParticleSet& a, const ParticleSet& b) {
    double difference = 0, largest = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        difference = std::max(difference, norm(a[acceleration][row] - b[acceleration][row]));
        largest = std::max(largest, norm(b[acceleration][row]));
    }
    return difference / largest;
}

// The pairs of all blocks with their lists, and within them.
std::uint64_t pairs_of_blocks(const NeighbourLists& lists) {
    std::uint64_t pairs = 0;
    for (const NeighbourGroup& group : lists.groups())
        for (std::uint32_t b = 0; b < group.blocks(); ++b) {
            const std::uint64_t count = std::min(SearchTree::block_size, group.count - b * SearchTree::block_size);
            pairs += count * (group.list(b).size() + count - 1);
        }
    return pairs;
}

TEST(ShortRangeDevice, gives_the_forces_of_the_host_wherever_the_particles_are) {
    for (const double from_origin : {0.0, 1e5})
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            ParticleSet host = liquid(9, from_origin), device = liquid(9, from_origin);
            const Work of_host = compute(*lennard_jones_on({.precision = Precision::double_}), host);
            const auto on_device = lennard_jones_on(on(open_device("cpu"), precision));
            const Work of_device = compute(*on_device, device);
            EXPECT_EQ(of_device.pairs, pairs_of_blocks(on_device->neighbourhood().lists()));
            EXPECT_GT(of_device.pairs, of_host.pairs);  // whose lists are of clusters
            EXPECT_LT(apart(device, host), precision == Precision::single_ ? 2e-6 : 1e-13);
        }
}

TEST(ShortRangeDevice, takes_few_particles) {
    for (const std::size_t size : {0, 1, 2, 17}) {
        auto particles = scattered(size, {}, 0.2);
        const auto force = short_range_force(Probe<Cutoff>{1}, on(open_device("cpu")));
        compute(*force, *particles);
        expect_exact(*force, *particles, 1e-6);
    }
}

TEST(ShortRangeDevice, keeps_its_lists_and_moves_particles_as_the_host_does) {
    constexpr int steps = 20;
    const auto run = [](std::shared_ptr<ShortRangeForce> force) {
        auto atoms = std::make_shared<ParticleSet>(liquid(8, 0));
        Simulation sim(atoms, 0.002);
        sim.add_force(force);
        sim.ensure_forces();
        const auto bytes = [&] { return force->device_use() == nullptr ? 0 : force->device_use()->times.bytes_up; };
        for (std::uint64_t sent = bytes(); sim.step_count() < steps;) {
            const std::uint64_t reuses = force->list_use().reuses;
            sim.step();
            if (force->list_use().reuses > reuses && sent > 0) {
                EXPECT_LT(bytes(), sent);
            } else {
                sent = bytes();
            }
        }
        return std::pair(atoms, force->list_use());
    };
    ShortRangeSettings settings = on(open_device("cpu"), Precision::double_);
    settings.reuse_steps = 5;
    const auto [device, use] = run(lennard_jones_on(settings));
    EXPECT_EQ(use.reuses, 16U);
    settings.device = nullptr;
    const auto [host, same_use] = run(lennard_jones_on(settings));
    EXPECT_EQ(same_use.reuses, use.reuses);
    EXPECT_LT(apart(*device, *host), 1e-10);
}

TEST(ShortRangeDevice, that_fails_is_named_and_another_takes_over) {
    for (const Fault fault : {Fault::lost, Fault::wrong}) {
        auto atoms = std::make_shared<ParticleSet>(liquid(6, 0)), same = std::make_shared<ParticleSet>(liquid(6, 0));
        Simulation sim(atoms, 0.002), unbroken(same, 0.002);
        const std::shared_ptr<ShortRangeForce> force = lennard_jones_on(on(std::make_shared<FaultyDevice>(fault, 4)));
        sim.add_force(force);
        unbroken.add_force(lennard_jones_on(on(open_device("cpu"))));
        while (unbroken.step_count() < 8) unbroken.step();
        std::string message;
        while (sim.step_count() < 8) {
            try {
                sim.step();
            } catch (const DeviceError& error) {
                message = error.what();
                force->use_devices(open_device("cpu"));
            }
        }
        EXPECT_EQ(message, fault == Fault::lost ? "device faulty:0 was lost"
                                                : "device faulty:0 gave a force that is not finite");
        EXPECT_TRUE(std::ranges::equal((*atoms)[position], (*same)[position]));
    }
}

TEST(ShortRangeDevice, without_room_for_the_lists_is_named) {
    ParticleSet atoms = liquid(8, 0);
    const auto force = lennard_jones_on(on(open_device("cpu", 100'000)));
    try {
        compute(*force, atoms);
        ADD_FAILURE() << "there was room";
    } catch (const DeviceError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("device cpu is out of memory")) << error.what();
    }
}

}  // namespace trellis::short_range_device_test
