// The kernel that GPUs run for systems, by threads of the processor.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "trellis/ensembles/gpu/advance_system.hpp"

namespace trellis {

class EmulatedThreads {
  public:
    EmulatedThreads(std::size_t number, std::size_t count, std::barrier<>& barrier)
        : number_(number), count_(count), barrier_(barrier) {}
    std::size_t number() const { return number_; }
    std::size_t count() const { return count_; }
    void wait() const { barrier_.arrive_and_wait(); }

  private:
    std::size_t number_, count_;
    std::barrier<>& barrier_;
};

// The resources of such a kernel: its threads, the block's own memory for the columns that move, and memory for lists
// of near particles.
struct Emulation {
    std::size_t threads;
    bool at_hand = true, lists = true;
};

// Fills the memory of a block with NaN, and its lists with arbitrary bits, so that reading before writing shows.
template <class I, Emulation Of>
void advance_by_threads(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const SystemsMemory<I> memory(call);
    const BlockSpace sizes{todo.largest, Of.at_hand};
    for (std::size_t system = 0; system < todo.systems; ++system) {
        std::vector<double> space(sizes.bytes<I>() / sizeof(double), std::numeric_limits<double>::quiet_NaN());
        std::vector<std::uint32_t> near(Of.lists ? near_words<I>(todo) : 0, 0x5a5a5a5a);
        std::vector<double> copy(copy_doubles(todo), std::numeric_limits<double>::quiet_NaN());
        std::barrier<> barrier(Of.threads);
        const auto run = [&](std::size_t number) {
            advance_system<I>(memory, todo, system, EmulatedThreads(number, Of.threads, barrier), sizes, space.data(),
                              {near.empty() ? nullptr : near.data(), copy.data()});
        };
        std::vector<std::jthread> others;
        for (std::size_t number = 1; number < Of.threads; ++number) others.emplace_back(run, number);
        run(0);
    }
}

// Replaces the kernels of the processor.
template <class I, Emulation Of>
SystemKernels by_threads(SystemKernels kernels) {
    kernels.name += " by " + std::to_string(Of.threads) + (Of.at_hand ? " threads" : " threads, columns elsewhere") +
                    (Of.lists ? "" : ", all pairs");
    kernels.on_cpu = advance_by_threads<I, Of>;
    return kernels;
}

}  // namespace trellis
