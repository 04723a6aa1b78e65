// The kernel that GPUs run for systems, by threads of the processor.
#pragma once

#include <barrier>
#include <cstddef>
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

// Shared memory is not cleared for a block: what is read there before it was written is no number.
template <class I, std::size_t Threads, bool AtHand>
void advance_by_threads(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const SystemsMemory<I> memory(call);
    const BlockSpace sizes{todo.largest, AtHand};
    for (std::size_t system = 0; system < todo.systems; ++system) {
        std::vector<double> space(sizes.bytes<I>() / sizeof(double), std::numeric_limits<double>::quiet_NaN());
        std::barrier<> barrier(Threads);
        const auto run = [&](std::size_t number) {
            advance_system<I>(memory, todo, system, EmulatedThreads(number, Threads, barrier), sizes, space.data());
        };
        std::vector<std::jthread> others;
        for (std::size_t number = 1; number < Threads; ++number) others.emplace_back(run, number);
        run(0);
    }
}

// In place of those of the processor. AtHand: columns that move are in the block's own memory.
template <class I, std::size_t Threads, bool AtHand = true>
SystemKernels by_threads(SystemKernels kernels) {
    kernels.name += " by " + std::to_string(Threads) + (AtHand ? " threads" : " threads, columns elsewhere");
    kernels.on_cpu = advance_by_threads<I, Threads, AtHand>;
    return kernels;
}

}  // namespace trellis
