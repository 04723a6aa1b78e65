// The compiler of graphs for this processor, if the process has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "trellis/forces/run_time/loops/column_loops.hpp"

namespace trellis {

// The functions of ColumnLoops, in one precision; 0 where the compiler makes none of a graph.
struct LoopAddresses {
    std::uintptr_t add_pairs = 0, add_own = 0;
};

// graph: bytes that read_pair_graph (graphs/pair_graph.hpp) has accepted. Any thread calls it. The functions must stay
// loaded, and read nothing of their arguments but what ColumnLoops says, whatever the numbers in them are.
using CompileLoops = std::function<LoopAddresses(std::span<const std::byte> graph, std::size_t value_bytes)>;

// Chooses the compiler of this process; empty: none.
void provide_loop_compiler(CompileLoops compile);

// The loops of a graph in one precision, which are compiled when they are first asked for.
class LoopsOfGraph {
  public:
    LoopsOfGraph(std::span<const std::byte> graph, std::size_t value_bytes)
        : graph_(graph.begin(), graph.end()), value_bytes_(value_bytes) {}

    // Null pointers where nothing compiles the graph.
    template <class R>
    ColumnLoops<R> get() const {
        const LoopAddresses made = addresses();
        // NOLINTBEGIN(performance-no-int-to-ptr): this is how a compiler in Python hands its functions over
        return {reinterpret_cast<decltype(ColumnLoops<R>::add_pairs)>(made.add_pairs),
                reinterpret_cast<decltype(ColumnLoops<R>::add_own)>(made.add_own)};
        // NOLINTEND(performance-no-int-to-ptr)
    }

  private:
    LoopAddresses addresses() const;

    const std::vector<std::byte> graph_;
    const std::size_t value_bytes_;
    mutable std::once_flag once_;
    mutable LoopAddresses made_;
};

}  // namespace trellis
