#include "trellis/forces/run_time/graphs/pair_text.hpp"

#include <algorithm>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/graph_text.hpp"
#include "trellis/forces/run_time/graphs/kernel_frames.hpp"
#include "trellis/forces/run_time/graphs/small_sets_frame.hpp"
#include "trellis/forces/run_time/graphs/stages.hpp"
#include "trellis/forces/run_time/graphs/statements.hpp"

namespace trellis {

namespace {

class PairText {
  public:
    PairText(const PairGraph& graph, bool single)
        : graph_(graph),
          single_(single),
          pairs_(graph, pair_outputs(graph)),
          sums_(graph, factors_of(graph)),
          text_(graph, single, once_of(pairs_, sums_)) {}

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

    std::string over_sets(const SetResults& results, bool excluding) const {
        const auto either = [&](const char* excluded, const char* without) { return excluding ? excluded : without; };
        const std::string text =
            replaced(small_sets_text, {{"@LISTS@", either(set_lists_text, "")},
                                       {"@EXCLUDED@", either(excluded_text, "")},
                                       {"@FIRST@", either(first_excluded_text, "")},
                                       {"@FACTOR@", either(factor_text, "")},
                                       {"@ADD@", either(add_scaled_pair_text, add_whole_pair_text)}});
        return replaced(functions() + small_set_text + text, {{"@FIELDS@", std::to_string(graph_.components)},
                                                              {"@MOST@", std::to_string(most_set_components)},
                                                              {"@PARAMETERS@", std::to_string(graph_.parameters)},
                                                              {"@BEFORE@", std::to_string(before_parameters)},
                                                              {"@ACCELERATION@", std::to_string(results.acceleration)},
                                                              {"@POTENTIAL@", std::to_string(results.potential)},
                                                              {"@NO_PAIR@", no_pair()},
                                                              {"@JOIN_SCALED@", join_scaled()}});
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
    // Values that no particle decides, as far as pairs and factors of sums need them.
    static GraphNodes once_of(const Stages& pairs, const Stages& sums) {
        GraphNodes once = pairs.once();
        for (const std::uint32_t node : sums.once())
            if (std::ranges::find(once, node) == once.end()) once.push_back(node);
        return once;
    }

    // All that stands before a kernel.
    std::string functions() const {
        return types() + text_.tables() + text_.once() + of_i() + of_j() + add_pair() +
               (graph_.factors ? finish() : "");
    }

    std::string types() const {
        const std::string head = graph_.short_range ? "u64 elements;" : "u32 groups, largest; u64 unused;";
        return std::string("typedef ") + text_.real() + " real;\ntypedef struct ALIGNED_16 { real values[" +
               std::to_string(row_stride_of(graph_.components)) + "]; } Row;\n" + text_.struct_of_once() +
               text_.struct_of("Target", "i", pairs_.of_i()) + text_.struct_of("Source", "j", pairs_.of_j()) +
               "typedef struct { real values[" + std::to_string(graph_.results.size()) +
               "]; } Sums;\ntypedef struct { " + head + " double parameters[" + std::to_string(graph_.parameters) +
               "]; } Call;\n\n";
    }

    std::string of_i() const {
        Statements statements = text_.with_once("    Target target;\n");
        GraphNodes nodes = pairs_.needed(pairs_.of_i());
        std::erase_if(nodes, [&](std::uint32_t k) { return graph_.nodes[k].reads != from_i; });
        statements.add(nodes, value_in_row);
        return text_.function("Target target_of(const Once once, const Row row, const Row origin)", "target", "i",
                              statements, pairs_.of_i());
    }

    std::string of_j() const {
        Statements statements(graph_, single_, "    Source source;\n");
        for (const std::uint32_t k : pairs_.of_j()) statements.name(k, value_in_row(graph_.nodes[k]));
        return text_.function("Source source_of(const Row row, const Row origin)", "source", "j", statements,
                              pairs_.of_j());
    }

    std::string add_pair() const {
        Statements statements = text_.with_once();
        GraphText::name_members(statements, "target", "i", pairs_.of_i());
        GraphText::name_members(statements, "source", "j", pairs_.of_j());
        const auto of_pairs = [&](GraphNodes nodes) {
            std::erase_if(nodes, [&](std::uint32_t k) {
                const GraphNode& node = graph_.nodes[k];
                return (node.reads & from_j) == 0 || node.operation == Operation::of_j;
            });
            return nodes;
        };
        if (graph_.short_range) {
            statements.add(of_pairs(pairs_.needed({graph_.within})), value_in_row);
            statements.line("if (!(" + statements[graph_.within] + ")) return;");
        }
        statements.add(of_pairs(pairs_.needed(pair_outputs(graph_))), value_in_row);
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
        Statements statements = text_.with_once();
        statements.add(sums_.that_read(from_i), value_in_row);
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
    const GraphText text_;
};

}  // namespace

std::string pair_text(const PairGraph& graph, bool single) {
    const PairText text(graph, single);
    return graph.short_range ? text.over_lists() : text.over_tree();
}

std::string masked_text_of(const PairGraph& graph, bool single) {
    return PairText(graph, single).over_masked_entries();
}

std::string small_sets_text_of(const PairGraph& graph, const SetResults& results, bool excluding) {
    return PairText(graph, true).over_sets(results, excluding);
}

}  // namespace trellis
