#include "trellis/forces/run_time/tuples/tuple_text.hpp"

#include "trellis/forces/run_time/graphs/graph_text.hpp"
#include "trellis/forces/run_time/graphs/small_sets_frame.hpp"
#include "trellis/forces/run_time/tuples/tuple_frame.hpp"

namespace trellis {

namespace {

// The function that computes the outcome of a tuple.
std::string evaluate_text(const PairGraph& graph) {
    GraphNodes outputs;
    for (const GraphResult& result : graph.results) outputs.push_back(result.value);
    Statements statements(graph, false);
    statements.add(Stages(graph, outputs).needed(outputs),
                   [](const GraphNode& node) { return "given[" + std::to_string(node.number) + "]"; });
    for (std::size_t c = 0; c < outputs.size(); ++c)
        statements.line("outcome[" + std::to_string(c) + "] = " + statements[outputs[c]] + ";");
    return "FUNCTION void evaluate(const double* given, double* outcome)\n{\n" + statements.text() + "}\n";
}

}  // namespace

std::string tuple_text(const TupleGraph& tuple) {
    const GraphText text(tuple.graph, false, {});
    return "typedef double real;\n" + text.tables() + evaluate_text(tuple.graph) + small_set_text + set_lists_text +
           replaced(tuple_sets_text, {{"@MEMBERS@", std::to_string(tuple.members())},
                                      {"@STEPS@", std::to_string(tuple.steps())},
                                      {"@VALUES@", std::to_string(tuple.values())}});
}

}  // namespace trellis
