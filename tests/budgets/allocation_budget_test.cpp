// A steady step allocates no memory, and the first steps hold no more than they need: all allocations of this program
// are counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <tuple>

#include "budgets/budget.hpp"
#include "shared/boxes.hpp"
#include "trellis/forces/bonded/bonded_force.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace {

std::atomic<std::size_t> allocations{0}, allocated{0}, held{0}, most_held{0};  // the latter three in bytes

void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    allocated += bytes;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) != 0)
        throw std::bad_alloc();
    const std::size_t bytes_now = held += malloc_usable_size(memory);
    for (std::size_t most = most_held; most < bytes_now && !most_held.compare_exchange_weak(most, bytes_now);) {
    }
    return memory;
}

void release(void* memory) {
    held -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

// Not inline: GCC would take free for a mismatch with new.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace trellis {
namespace {

using Case = std::tuple<Lists, int>;  // threads

class AllocationBudgets : public testing::TestWithParam<Case> {};

// Steps are counted after all memory that is kept has been allocated. Rows keep their order, since sorting them takes
// memory. Several threads share tasks by chance, so that one may need more memory than ever before: hence the minimum
// over a few steps.
TEST_P(AllocationBudgets, of_a_steady_step_are_zero) {
    const Lists lists = std::get<0>(GetParam());
    const int threads = std::get<1>(GetParam());
    std::array<std::size_t, 5> of_steps{};
    with_threads(threads, [&] {
        Simulation sim(std::make_shared<ParticleSet>(models::plummer(16384, 1)), 1e-6);
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3, .lists = lists}));
        sim.keep_order(true);
        sim.run_steps(20);
        for (std::size_t& of_step : of_steps) {
            const std::size_t before = allocations;
            sim.step();
            of_step = allocations - before;
        }
        EXPECT_EQ(sim.forces()[0]->list_use().reuses > 0, lists == Lists::reuse);
    });
    EXPECT_EQ(std::ranges::min(of_steps), 0U);
    if (threads == 1) {
        EXPECT_EQ(std::ranges::max(of_steps), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(, AllocationBudgets,
                         testing::Combine(testing::Values(Lists::rebuild, Lists::reuse), testing::Values(1, 2)),
                         [](const auto& instance) {
                             const std::string step =
                                 std::get<0>(instance.param) == Lists::reuse ? "reusing" : "construction";
                             return step + "_by_" + std::to_string(std::get<1>(instance.param));
                         });

// Steps that reuse lists of short range allocate next to nothing; those that prune them copies of trees, about 100
// bytes an atom, but no lists, whose memory is kept over constructions: lists of clusters take some 500.
TEST(ShortRangeAllocations, of_steps_without_construction_are_few) {
    with_threads(1, [&] {
        const auto atoms = bench::crystal(10);
        Simulation sim(atoms, 0.005);
        const std::shared_ptr<ShortRangeForce> force = lennard_jones(1, 1, 2.5, Truncation::plain);
        sim.add_force(force);
        sim.run_steps(100);
        const ListUse before = force->list_use();
        std::size_t least = ~std::size_t{0}, most = 0;
        for (int step = 0; step < 60; ++step) {
            const std::size_t bytes = allocated;
            const std::uint64_t constructions = force->list_use().constructions;
            sim.step();
            if (force->list_use().constructions > constructions) continue;
            least = std::min(least, allocated - bytes);
            most = std::max(most, allocated - bytes);
        }
        EXPECT_GE(force->list_use().constructions, before.constructions + 2);
        EXPECT_GE(force->list_use().prunings, before.prunings + 10);
        EXPECT_LE(least, 4096U);
        EXPECT_LE(most, 150 * atoms->size());
    });
}

// The energy of a pair is half the square of its distance.
void stretch(const double* /*parameters*/, const double* pair, double* outcome, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) {
        outcome[t] = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double d = pair[axis * tuples_at_once + t];
            outcome[t] += d * d / 2;
            outcome[(1 + axis) * tuples_at_once + t] = d;
        }
    }
}

// Tuples are found by their ids once, and not at each step: that takes 4 bytes a particle. A block of 64 takes 4 kB.
TEST(BondedAllocations, of_a_step_are_those_of_the_blocks_of_tuples) {
    with_threads(1, [&] {
        const auto particles = std::make_shared<ParticleSet>(models::uniform_cube(20'000, 1));
        std::vector<std::uint64_t> members(128);
        std::iota(members.begin(), members.end(), 0);
        auto function = std::make_shared<TupleFunction>();
        function->evaluate = stretch;
        Simulation sim(particles, 0.001);
        sim.add_force(std::make_shared<BondedForce>(
            TuplePotential{std::make_shared<TupleList>(std::move(members), 2), std::move(function)}));
        sim.run_steps(3);
        const std::size_t bytes = allocated;
        sim.run_steps(4);
        EXPECT_LE(allocated - bytes, 4 * 8192U);
    });
}

struct MemoryBudget {
    const char* name;
    Region region;
    double bytes;
};

class MemoryBudgets : public testing::TestWithParam<MemoryBudget> {};

// The most bytes a particle that two steps hold, the particles' columns (96) included, but for tables that are made
// once.
TEST_P(MemoryBudgets, are_kept) {
    const auto run = [&](std::size_t size) {
        const auto particles = std::make_shared<ParticleSet>(models::uniform_cube(size, 1));
        particles->set_region(GetParam().region);
        particles->wrap_positions();
        Simulation sim(particles, 1e-6);
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3}));
        sim.run_steps(2);
    };
    constexpr std::size_t size = 32768;
    with_threads(1, [&] {
        run(1000);
        const std::size_t before = held;
        most_held = before;
        run(size);
        const auto bytes = static_cast<double>(most_held - before);
        budgets::expect_within(GetParam().bytes, bytes / size, "bytes a particle");
    });
}

INSTANTIATE_TEST_SUITE_P(, MemoryBudgets,
                         testing::Values(MemoryBudget{"open", {}, 274},
                                         MemoryBudget{"images", {{0, 0, 0}, {1, 1, 1}}, 496}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace trellis
