#include "trellis/forces/run_time/graphs/pair_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/kernel_frames.hpp"
#include "trellis/forces/run_time/graphs/small_sets_frame.hpp"
#include "trellis/forces/run_time/graphs/stages.hpp"
#include "trellis/forces/run_time/graphs/statements.hpp"

namespace trellis {

namespace {

// A component of a row; positions are relative to the origin.
std::string row_value(const GraphNode& node) {
    const auto value = [&](const char* row, std::size_t more = 0) {
        return std::string(row) + ".values[" + std::to_string(place_in_row(node.number) + more) + "]";
    };
    if (node.number >= 3) return value("row");
    return "(" + value("row") + " - " + value("origin") + ") + (" + value("row", 3) + " - " + value("origin", 3) + ")";
}

class PairText {
  public:
    PairText(const PairGraph& graph, bool single)
        : graph_(graph),
          single_(single),
          pairs_(graph, pair_outputs(graph)),
          sums_(graph, factors_of(graph)),
          once_(pairs_.once()) {
        for (const std::uint32_t node : sums_.once())
            if (std::ranges::find(once_, node) == once_.end()) once_.push_back(node);
    }

    std::string over_lists() const { return filled(functions() + blocks_text + neighbours_text); }
    std::string over_masked_entries() const {
        return replaced(filled(functions() + blocks_text + masked_text), {{"@JOIN_SCALED@", join_scaled()}});
    }

    std::string over_tree() const {
        std::string parts = functions() + pairs_text;
        const auto tiles = [](const char* total, const char* number, const char* unrolled, const char* if_other) {
            return replaced(
                tiles_text,
                {{"@TOTAL@", total}, {"@NUMBER@", number}, {"@UNROLLED@", unrolled}, {"@IF_OTHER@", if_other}});
        };
        parts = replaced(parts, {{"@LIST@", tiles("group.index_count", "indices[group.first_index + mine]", "4", "")},
                                 {"@OWN@", tiles("group.count", "group.first_row + mine", "1",
                                                 "if (begin + k != first + lane + p * width) ")}});
        return filled(replaced(parts, {{"@OWNED@", std::to_string(owned_in(single_))}}));
    }

    std::string over_sets(const SetResults& results) const {
        return replaced(functions() + small_sets_text, {{"@FIELDS@", std::to_string(graph_.components)},
                                                        {"@MOST@", std::to_string(most_set_components)},
                                                        {"@PARAMETERS@", std::to_string(graph_.parameters)},
                                                        {"@BEFORE@", std::to_string(before_parameters)},
                                                        {"@ACCELERATION@", std::to_string(results.acceleration)},
                                                        {"@POTENTIAL@", std::to_string(results.potential)},
                                                        {"@NO_PAIR@", no_pair()}});
    }

  private:
    std::string filled(const std::string& text) const {
        return replaced(text, {{"@COMPONENTS@", std::to_string(graph_.results.size())}, {"@NO_PAIR@", no_pair()}});
    }

    static GraphNodes pair_outputs(const PairGraph& graph) {
        GraphNodes outputs;
        for (const GraphResult& result : graph.results) outputs.push_back(result.value);
        if (graph.short_range) outputs.push_back(graph.within);
        return outputs;
    }
    static GraphNodes factors_of(const PairGraph& graph) {
        GraphNodes outputs;
        if (graph.factors)
            for (const GraphResult& result : graph.results) outputs.push_back(result.factor);
        return outputs;
    }
    static const char* no_pair_of(ResultKind kind) {
        return kind == ResultKind::sum ? "0" : kind == ResultKind::maximum ? "-INFINITE" : "INFINITE";
    }
    std::string no_pair() const {
        std::string values;
        for (const GraphResult& result : graph_.results)
            values += (values.empty() ? "{" : ", ") + std::string(no_pair_of(result.kind));
        return values + "}";
    }
    const char* real() const { return single_ ? "float" : "double"; }

    // All that stands before a kernel.
    std::string functions() const {
        return types() + tables() + once() + of_i() + of_j() + add_pair() + (graph_.factors ? finish() : "");
    }

    std::string types() const {
        const std::string head = graph_.short_range ? "u64 elements;" : "u32 groups, largest; u64 unused;";
        return std::string("typedef ") + real() + " real;\ntypedef struct ALIGNED_16 { real values[" +
               std::to_string(row_stride_of(graph_.components)) + "]; } Row;\n" + struct_of("Once", "c", once_) +
               struct_of("Target", "i", pairs_.of_i()) + struct_of("Source", "j", pairs_.of_j()) +
               "typedef struct { real values[" + std::to_string(graph_.results.size()) +
               "]; } Sums;\ntypedef struct { " + head + " double parameters[" + std::to_string(graph_.parameters) +
               "]; } Call;\n\n";
    }

    // The values of tables, and the function that finds one, whatever number a pair gives.
    std::string tables() const {
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

    std::string struct_of(const char* name, const char* letter, const GraphNodes& nodes) const {
        const Statements types(graph_, single_);
        std::string members = nodes.empty() ? " int none;" : "";
        for (std::size_t k = 0; k < nodes.size(); ++k)
            members += std::string(" ") + types.type_of(nodes[k]) + " " + letter + std::to_string(k) + ";";
        return "typedef struct {" + members + " } " + name + ";\n";
    }

    // A function whose result has a member for each of some nodes; cast: to the type of the member.
    std::string function(const std::string& head, const std::string& result, const char* letter, Statements& statements,
                         const GraphNodes& nodes, bool cast = false) const {
        const Statements types(graph_, single_);
        if (nodes.empty()) statements.line(result + ".none = 0;");
        for (std::size_t k = 0; k < nodes.size(); ++k)
            statements.line(result + "." + letter + std::to_string(k) + " = " +
                            (cast ? std::string("(") + types.type_of(nodes[k]) + ")" : "") + statements[nodes[k]] +
                            ";");
        statements.line("return " + result + ";");
        return std::string("FUNCTION ") + head + "\n{\n" + statements.text() + "}\n\n";
    }

    // Values that no particle decides, in double precision.
    std::string once() const {
        Statements exact(graph_, false, "    Once once;\n");
        const auto parameter = [](const GraphNode& node) {
            return "call.parameters[" + std::to_string(node.number) + "]";
        };
        exact.add(pairs_.that_read(0), parameter);
        exact.add(sums_.that_read(0), parameter);
        return function("Once once_of(const Call call)", "once", "c", exact, once_, true);
    }

    // Gives names to members of a value.
    static void name_members(Statements& statements, const std::string& value, const char* letter,
                             const GraphNodes& nodes) {
        for (std::size_t k = 0; k < nodes.size(); ++k)
            statements.name(nodes[k], value + "." + letter + std::to_string(k));
    }
    // Statements that know what no particle decides.
    Statements with_once(const Stages& stages, const char* begin = "") const {
        Statements statements(graph_, single_, begin);
        name_members(statements, "once", "c", once_);
        statements.add(stages.constants(), row_value);
        return statements;
    }

    std::string of_i() const {
        Statements statements = with_once(pairs_, "    Target target;\n");
        GraphNodes nodes = pairs_.needed(pairs_.of_i());
        std::erase_if(nodes, [&](std::uint32_t k) { return graph_.nodes[k].reads != from_i; });
        statements.add(nodes, row_value);
        return function("Target target_of(const Once once, const Row row, const Row origin)", "target", "i", statements,
                        pairs_.of_i());
    }

    std::string of_j() const {
        Statements statements(graph_, single_, "    Source source;\n");
        for (const std::uint32_t k : pairs_.of_j()) statements.name(k, row_value(graph_.nodes[k]));
        return function("Source source_of(const Row row, const Row origin)", "source", "j", statements, pairs_.of_j());
    }

    std::string add_pair() const {
        Statements statements = with_once(pairs_);
        name_members(statements, "target", "i", pairs_.of_i());
        name_members(statements, "source", "j", pairs_.of_j());
        const auto of_pairs = [&](GraphNodes nodes) {
            std::erase_if(nodes, [&](std::uint32_t k) {
                const GraphNode& node = graph_.nodes[k];
                return (node.reads & from_j) == 0 || node.operation == Operation::of_j;
            });
            return nodes;
        };
        if (graph_.short_range) {
            statements.add(of_pairs(pairs_.needed({graph_.within})), row_value);
            statements.line("if (!(" + statements[graph_.within] + ")) return;");
        }
        statements.add(of_pairs(pairs_.needed(pair_outputs(graph_))), row_value);
        for (std::size_t c = 0; c < graph_.results.size(); ++c)
            statements.line(taken("sums->values[" + std::to_string(c) + "]", statements[graph_.results[c].value],
                                  graph_.results[c].kind));
        return "FUNCTION void add_pair(const Once once, const Target target, const Source source, Sums* sums)\n{\n" +
               statements.text() + "}\n\n";
    }

    // The statement by which a result takes a value.
    static std::string taken(const std::string& place, const std::string& value, ResultKind kind) {
        if (kind == ResultKind::sum) return place + " += " + value + ";";
        const std::string beyond = kind == ResultKind::maximum ? place + " < " + value : value + " < " + place;
        return "if (" + beyond + ") " + place + " = " + value + ";";
    }

    // The sums take those of a pair that counts by a factor; extremes are not scaled.
    std::string join_scaled() const {
        std::string lines;
        for (std::size_t c = 0; c < graph_.results.size(); ++c) {
            const std::string component = ".values[" + std::to_string(c) + "]";
            const ResultKind kind = graph_.results[c].kind;
            const std::string value = (kind == ResultKind::sum ? "factor * pair" : "pair") + component;
            lines += "        " + taken("sums" + component, value, kind) + "\n";
        }
        return lines;
    }

    // The function that multiplies the sums of an i-particle by their factors.
    std::string finish() const {
        Statements statements = with_once(sums_);
        statements.add(sums_.that_read(from_i), row_value);
        for (std::size_t c = 0; c < graph_.results.size(); ++c) {
            const GraphNode& factor = graph_.nodes[graph_.results[c].factor];
            if (factor.is_constant() && factor.value == 1) continue;
            statements.line("sums->values[" + std::to_string(c) + "] *= " + statements[graph_.results[c].factor] + ";");
        }
        return "FUNCTION void finish(const Once once, const Row row, const Row origin, Sums* sums)\n{\n" +
               statements.text() + "}\n\n";
    }

    const PairGraph& graph_;
    const bool single_;
    const Stages pairs_, sums_;
    GraphNodes once_;
};

}  // namespace

std::string pair_text(const PairGraph& graph, bool single) {
    const PairText text(graph, single);
    return graph.short_range ? text.over_lists() : text.over_tree();
}

std::string masked_text_of(const PairGraph& graph, bool single) {
    return PairText(graph, single).over_masked_entries();
}

std::string small_sets_text_of(const PairGraph& graph, const SetResults& results) {
    return PairText(graph, true).over_sets(results);
}

}  // namespace trellis
