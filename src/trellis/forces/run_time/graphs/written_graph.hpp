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
    std::uint32_t apply(Operation operation, const std::vector<std::uint32_t>& args) {
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

}  // namespace trellis
