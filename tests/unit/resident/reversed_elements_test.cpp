// Races between elements of grid kernels: their order must not matter.
#include <gtest/gtest.h>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/resident/kernels/expansion_kernels.hpp"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/kernels.hpp"
#include "trellis/resident/kernels/leapfrog_kernels.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "unit/devices/reversed_grid.hpp"
#include "unit/particle_models.hpp"
#include "unit/resident/fluid.hpp"
#include "unit/resident/reused_lists.hpp"

namespace trellis::reversed_elements_test {

using namespace fields;

enum class Order { usual, reversed };

class ReversedElements : public testing::Test {
  protected:
    ~ReversedElements() override {
        register_resident_kernels();
        register_leapfrog_kernels();
    }

    static void reverse() {
        register_reversed(ParticleGridKernels{});
        register_reversed(TreeGridKernels{});
        register_reversed(ListGridKernels{});
        register_reversed(ForceGridKernels{});
        register_reversed(ExpansionGridKernels{});
        register_reversed(ShortRangeGridKernels{});
        register_reversed(LeapfrogKernels{});
    }

    // After three constructions of lists, and steps that reuse them.
    static ParticleSet after_steps(Order order, const ForceSettings& settings) {
        ParticleSet particles = models::plummer(3000, 1);
        ResidentSimulation sim(particles, 0.02, 1, settings, 0.01, open_device("cpu"));
        if (order == Order::reversed) reverse();
        for (int k = 0; k < 7; ++k) sim.step();
        sim.download(particles);
        return particles;
    }
};

TEST_F(ReversedElements, of_the_steps_that_stay_on_a_device_give_the_same_bits) {
    for (const ForceSettings& settings : {reused_lists(), reused_expansions()}) {
        const ParticleSet usual = after_steps(Order::usual, settings),
                          reversed = after_steps(Order::reversed, settings);
        for (std::size_t row = 0; row < usual.size(); ++row) {
            ASSERT_EQ(reversed[position][row], usual[position][row]) << row;
            ASSERT_EQ(reversed[velocity][row], usual[velocity][row]) << row;
            ASSERT_EQ(reversed[acceleration][row], usual[acceleration][row]) << row;
        }
        register_resident_kernels();
    }
}

// Lists are outgrown at times.
TEST_F(ReversedElements, of_atoms_that_stay_on_a_device_give_the_same_bits) {
    const auto after_steps = [](Order order) {
        ParticleSet atoms = fluid(1000, 3);
        ResidentSimulation sim(atoms, lennard_jones(1, 1, 2.5), 0.004, open_device("cpu"));
        if (order == Order::reversed) reverse();
        sim.run_steps(30);
        sim.download(atoms);
        EXPECT_GT(sim.list_use().early, 0U);
        return atoms;
    };
    EXPECT_EQ(difference_by_row(after_steps(Order::reversed), after_steps(Order::usual)), 0);
}

// Drift with a race: an element also reads the place of the next one, before or after that has moved.
struct RacingDrift {
    static constexpr const char* name = "test.racing_drift";
    static constexpr Phase phase = Phase::integration;
    std::uint64_t last;
    double* position = nullptr;
    auto arrays() { return std::tie(position); }
    auto sizes(std::uint64_t count) const { return array_sizes(count); }
    void operator()(std::size_t k) const { position[k] += k < last ? position[k + 1] : 1; }
};

TEST_F(ReversedElements, show_a_race_in_a_copy_of_a_kernel) {
    using Kernels = GridKernels<RacingDrift>;
    const auto after = [](Order order) {
        constexpr std::size_t count = 300;
        const auto device = open_device("cpu");
        const auto queue = device->make_queue();
        std::vector<double> values(count, 1);
        const DeviceMemory memory(device, count * sizeof(double));
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        register_for_cpu(Kernels{});
        if (order == Order::reversed) register_reversed(Kernels{});
        launch_grid(*queue, RacingDrift{count - 1}, count, memory);
        queue->download(memory, 0, std::as_writable_bytes(std::span(values)));
        queue->wait();
        return values;
    };
    EXPECT_NE(after(Order::reversed), after(Order::usual));
}

}  // namespace trellis::reversed_elements_test
