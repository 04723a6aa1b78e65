// Graphs as bytes, operation by operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

class WrittenGraph {
  public:
    // range: 0, long; 1, short; 2, short with factors of sums. tables: their values, from the number first_entry on.
    explicit WrittenGraph(std::uint8_t range, std::uint32_t components = 4, std::uint32_t parameters = 1,
                          const std::vector<double>& tables = {}, std::uint32_t first_entry = 0) {
        head_.put(range);
        head_.put(components);
        head_.put(parameters);
        head_.put(first_entry);
        head_.put(static_cast<std::uint32_t>(tables.size() / 4));
        for (const double value : tables) head_.put(value);
    }
    std::uint32_t constant(double value) {
        put(Operation::constant);
        nodes_.put(value);
        return count_++;
    }
    std::uint32_t leaf(Operation operation, std::uint32_t number) { return apply(operation, {number}); }
    std::uint32_t apply(Operation operation, std::initializer_list<std::uint32_t> args) {
        put(operation);
        for (const std::uint32_t arg : args) nodes_.put(arg);
        return count_++;
    }
    void sum(std::uint32_t value, std::uint32_t factor) {
        result(ResultKind::sum, value);
        results_.put(factor);
    }
    void result(ResultKind kind, std::uint32_t value) {
        results_.put(kind);
        results_.put(value);
        ++result_count_;
    }
    // within: with a short range.
    std::vector<std::byte> bytes(std::initializer_list<std::uint32_t> within = {}) {
        ByteWriter all = head_;
        all.put(count_);
        all.put(std::span<const std::byte>(ByteWriter(nodes_).take()));
        all.put(result_count_);
        all.put(std::span<const std::byte>(ByteWriter(results_).take()));
        for (const std::uint32_t node : within) all.put(node);
        return all.take();
    }

  private:
    void put(Operation operation) { nodes_.put(operation); }

    ByteWriter head_, nodes_, results_;
    std::uint32_t count_ = 0, result_count_ = 0;
};

// Every operation, of short range or of long.
inline std::vector<std::byte> graph_of_everything(bool short_range) {
    WrittenGraph graph(short_range, 6, 2, {1, 2, 3, 4}, 8);
    const std::uint32_t one = graph.constant(1), mass = graph.leaf(Operation::of_j, 3);
    const std::uint32_t x = graph.leaf(Operation::of_i, 0), p = graph.leaf(Operation::parameter, 1);
    std::uint32_t last = graph.apply(Operation::sub, {mass, x});
    const std::uint32_t less = graph.apply(Operation::less, {last, p});
    std::uint32_t condition = graph.apply(Operation::negation, {less});
    for (std::uint8_t number = 4; number < graph_operations().size(); ++number) {
        const auto operation = static_cast<Operation>(number);
        const OperationInfo& info = graph_operations()[number];
        if (operation == Operation::entry)
            last = graph.apply(operation, {2, last});
        else if (info.takes == "n")
            last = graph.apply(operation, {last});
        if (info.takes == "nn" && info.gives == 'n') last = graph.apply(operation, {last, one});
        if (info.takes == "nn" && info.gives == 'c') condition = graph.apply(operation, {last, p});
        if (info.takes == "cc") condition = graph.apply(operation, {less, condition});
        if (info.takes == "cnn") last = graph.apply(operation, {condition, last, x});
    }
    if (!short_range) {
        graph.sum(last, x);
        return graph.bytes();
    }
    for (const ResultKind kind : {ResultKind::sum, ResultKind::maximum, ResultKind::minimum}) graph.result(kind, last);
    return graph.bytes({less});
}

}  // namespace trellis
