// Arithmetic of a graph as statements of C (devices/kernel_text.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"

namespace trellis {

// A constant, exactly but for its rounding to single precision.
std::string constant_text(double value, bool single);

// A text with values in the place of keys.
std::string replaced(std::string text, const std::map<std::string, std::string>& values);

// Statements that compute nodes, each from values that have names already.
class Statements {
  public:
    // Writes what a field or a parameter is.
    using Read = std::function<std::string(const GraphNode&)>;

    // begin: the first statements.
    Statements(const PairGraph& graph, bool single, std::string begin = "")
        : graph_(graph), single_(single), text_(std::move(begin)) {}

    // Nodes that have values already, by expressions.
    void name(std::uint32_t node, std::string value) { names_.insert_or_assign(node, std::move(value)); }
    // Adds what computes some nodes, each behind its arguments.
    void add(std::span<const std::uint32_t> nodes, const Read& read);
    // Adds a line.
    void line(const std::string& statement) { text_ += "    " + statement + "\n"; }

    const std::string& operator[](std::uint32_t node) const { return names_.at(node); }
    const char* type_of(std::uint32_t node) const;
    const std::string& text() const { return text_; }

  private:
    std::string value_of(const GraphNode& node, const Read& read) const;

    const PairGraph& graph_;
    const bool single_;
    std::string text_;
    std::map<std::uint32_t, std::string> names_;
};

}  // namespace trellis
