// The parts of every text of a graph (devices/kernel_text.hpp): the values that no particle decides, and functions of
// nodes.
#pragma once

#include <string>

#include "trellis/forces/run_time/graphs/stages.hpp"
#include "trellis/forces/run_time/graphs/statements.hpp"

namespace trellis {

// A component of the struct `row`; positions are relative to the struct `origin`.
std::string value_in_row(const GraphNode& node);

class GraphText {
  public:
    // once: the nodes that no particle decides, as far as others need them.
    GraphText(const PairGraph& graph, bool single, GraphNodes once);

    const char* real() const { return single_ ? "float" : "double"; }

    // The type of a struct with a member for each of some nodes: a letter and its number.
    std::string struct_of(const char* name, const char* letter, const GraphNodes& nodes) const;
    std::string struct_of_once() const { return struct_of("Once", "c", once_); }
    // A function whose result is such a struct; cast: to the type of the member.
    std::string function(const std::string& head, const std::string& result, const char* letter, Statements& statements,
                         const GraphNodes& nodes, bool cast = false) const;
    // The values of tables, and the function that finds one, whatever number it is given.
    std::string tables() const;
    // The function once_of(call), which computes the values that no particle decides, in double precision.
    std::string once() const;
    // Statements that know these values, as members of `once`.
    Statements with_once(const char* begin = "") const;
    // Gives names to members of a value.
    static void name_members(Statements& statements, const std::string& value, const char* letter,
                             const GraphNodes& nodes);

  private:
    const PairGraph& graph_;
    const bool single_;
    const GraphNodes once_;
};

}  // namespace trellis
