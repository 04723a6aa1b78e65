#include "trellis/forces/run_time/graphs/graph_text.hpp"

#include <cmath>
#include <utility>

#include "trellis/forces/row_layout.hpp"

namespace trellis {

std::string value_in_row(const GraphNode& node) {
    const auto value = [&](const char* row, std::size_t more = 0) {
        return std::string(row) + ".values[" + std::to_string(place_in_row(node.number) + more) + "]";
    };
    if (node.number >= 3) return value("row");
    return "(" + value("row") + " - " + value("origin") + ") + (" + value("row", 3) + " - " + value("origin", 3) + ")";
}

GraphText::GraphText(const PairGraph& graph, bool single, GraphNodes once)
    : graph_(graph), single_(single), once_(std::move(once)) {}

std::string GraphText::struct_of(const char* name, const char* letter, const GraphNodes& nodes) const {
    const Statements types(graph_, single_);
    std::string members = nodes.empty() ? " int none;" : "";
    for (std::size_t k = 0; k < nodes.size(); ++k)
        members += std::string(" ") + types.type_of(nodes[k]) + " " + letter + std::to_string(k) + ";";
    return "typedef struct {" + members + " } " + name + ";\n";
}

std::string GraphText::function(const std::string& head, const std::string& result, const char* letter,
                                Statements& statements, const GraphNodes& nodes, bool cast) const {
    const Statements types(graph_, single_);
    if (nodes.empty()) statements.line(result + ".none = 0;");
    for (std::size_t k = 0; k < nodes.size(); ++k)
        statements.line(result + "." + letter + std::to_string(k) + " = " +
                        (cast ? std::string("(") + types.type_of(nodes[k]) + ")" : "") + statements[nodes[k]] + ";");
    statements.line("return " + result + ";");
    return std::string("FUNCTION ") + head + "\n{\n" + statements.text() + "}\n\n";
}

std::string GraphText::once() const {
    Statements exact(graph_, false, "    Once once;\n");
    exact.add(Stages(graph_, once_).needed(once_),
              [](const GraphNode& node) { return "call.parameters[" + std::to_string(node.number) + "]"; });
    return function("Once once_of(const Call call)", "once", "c", exact, once_, true);
}

std::string GraphText::tables() const {
    if (graph_.entries.empty()) return "";
    std::string numbers;
    for (const double entry : graph_.entries) {
        const char* none = single_ ? "0.0f / 0.0f" : "0.0 / 0.0";  // known when the text is compiled
        numbers += (numbers.empty() ? "" : ", ") + (std::isnan(entry) ? none : constant_text(entry, single_));
    }
    const std::string last = std::to_string(graph_.entries.size() - 1);
    return "TABLE real tables[" + std::to_string(graph_.entries.size()) + "] = {" + numbers +
           "};\nFUNCTION real entry_of(const real number)\n{\n    return tables[number > 0 ? number < " + last +
           " ? (int)number : " + last + " : 0];\n}\n\n";
}

Statements GraphText::with_once(const char* begin) const {
    Statements statements(graph_, single_, begin);
    name_members(statements, "once", "c", once_);
    GraphNodes constants;
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k)
        if (graph_.nodes[k].is_constant()) constants.push_back(k);
    statements.add(constants, value_in_row);
    return statements;
}

void GraphText::name_members(Statements& statements, const std::string& value, const char* letter,
                             const GraphNodes& nodes) {
    for (std::size_t k = 0; k < nodes.size(); ++k) statements.name(nodes[k], value + "." + letter + std::to_string(k));
}

}  // namespace trellis
