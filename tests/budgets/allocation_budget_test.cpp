// Allocations of memory in a steady step: all allocations of this program are counted.
#include <atomic>
#include <cstdlib>
#include <new>

#include "budgets/budget.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace {

std::atomic<std::size_t> allocations{0}, bytes_allocated{0};

void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    bytes_allocated += bytes;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) != 0)
        throw std::bad_alloc();
    return memory;
}

}  // namespace

// Not inline: GCC would take free for a mismatch with new.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace trellis {
namespace {

struct StepBudget {
    const char* name;
    Lists lists;
    double allocations, kilobytes;
};

class AllocationBudgets : public testing::TestWithParam<StepBudget> {};

// Rows are sorted at every 64th step: the measured step comes after, when all memory that is kept has been allocated.
TEST_P(AllocationBudgets, of_a_steady_step_are_kept) {
    const StepBudget& budget = GetParam();
    with_threads(1, [&] {
        Simulation sim(std::make_shared<ParticleSet>(models::plummer(16384, 1)), 1e-6);
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3, .lists = budget.lists}));
        sim.run_steps(70);
        const std::size_t allocations_before = allocations, bytes_before = bytes_allocated;
        sim.step();
        budgets::expect_within(budget.allocations, static_cast<double>(allocations - allocations_before),
                               "allocations");
        budgets::expect_within(budget.kilobytes, static_cast<double>(bytes_allocated - bytes_before) / 1000,
                               "kilobytes allocated");
    });
}

INSTANTIATE_TEST_SUITE_P(, AllocationBudgets,
                         testing::Values(StepBudget{"construction", Lists::rebuild, 489, 726},
                                         StepBudget{"reusing", Lists::reuse, 43, 119}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace trellis
