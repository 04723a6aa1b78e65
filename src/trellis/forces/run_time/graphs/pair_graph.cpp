#include "trellis/forces/run_time/graphs/pair_graph.hpp"

#include <string>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

namespace {

constexpr OperationInfo all_operations[] = {
    {"constant", ""},     {"parameter", ""},   {"of_i", ""},          {"of_j", ""},        {"add", "nn"},
    {"sub", "nn"},        {"mul", "nn"},       {"reciprocal", "n"},   {"rsqrt", "n"},      {"rsqrt_of_positive", "n"},
    {"exp", "n"},         {"log", "n"},        {"sin", "n"},          {"cos", "n"},        {"atan2", "nn"},
    {"abs", "n"},         {"minimum", "nn"},   {"maximum", "nn"},     {"less", "nn", 'c'}, {"less_equal", "nn", 'c'},
    {"equal", "nn", 'c'}, {"both", "cc", 'c'}, {"either", "cc", 'c'}, {"not", "c", 'c'},   {"where", "cnn"},
    {"floor", "n"},       {"entry", "n"},      {"erf", "n"},          {"erfc", "n"},       {"tanh", "n"},
};

[[noreturn]] void refuse(const std::string& what) { throw InputError("the graph of an interaction " + what); }

std::string range_text(std::size_t least, std::size_t most) {
    return ": allowed are " + std::to_string(least) + " to " + std::to_string(most);
}

class GraphReader {
  public:
    explicit GraphReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    PairGraph read() {
        const auto range = number<std::uint8_t>(0, 2, "range");
        graph_.short_range = range != 0;
        graph_.factors = range != 1;
        graph_.components = number<std::uint32_t>(3, 2 * most_run_time_components, "number of components");
        graph_.parameters = number<std::uint32_t>(1, most_graph_parameters, "number of parameters");
        tables();
        const auto nodes = number<std::uint32_t>(1, most_graph_nodes, "number of operations");
        while (graph_.nodes.size() < nodes) graph_.nodes.push_back(node());
        const auto results = number<std::uint32_t>(1, most_run_time_components, "number of results");
        while (graph_.results.size() < results) graph_.results.push_back(result());
        if (graph_.short_range) graph_.within = reference("a condition of a pair", 'c');
        if (!bytes_.at_end()) refuse("goes on for " + std::to_string(bytes_.bytes_left()) + " bytes behind its end");
        return std::move(graph_);
    }

  private:
    template <class T>
    T number(std::size_t least, std::size_t most, const char* what) {
        if (bytes_.bytes_left() < sizeof(T)) refuse("ends within its " + std::string(what));
        const T value = bytes_.get<T>();
        if (value < least || value > most)
            refuse("has " + std::to_string(value) + " as its " + what + range_text(least, most));
        return value;
    }

    void tables() {
        constexpr std::uint32_t most = 1U << 30;
        graph_.first_entry = number<std::uint32_t>(0, most, "first entry of tables");
        const auto rows = number<std::uint32_t>(0, most, "number of rows of tables");
        if (rows > most_graph_rows)
            refuse("has " + std::to_string(rows) + " rows of tables: on a device, " + std::to_string(most_graph_rows) +
                   " are allowed");
        if (bytes_.bytes_left() < 4 * rows * sizeof(double)) refuse("ends within its tables");
        while (graph_.entries.size() < std::size_t{4} * rows) graph_.entries.push_back(bytes_.get<double>());
    }

    GraphNode node() {
        constexpr std::size_t last = std::size(all_operations) - 1;
        GraphNode node;
        node.operation = static_cast<Operation>(number<std::uint8_t>(0, last, "operation"));
        switch (node.operation) {
            case Operation::constant:
                if (bytes_.bytes_left() < sizeof(double)) refuse("ends within a constant");
                node.value = bytes_.get<double>();
                break;
            case Operation::parameter:
                node.number = number<std::uint32_t>(0, graph_.parameters - 1, "parameter");
                break;
            case Operation::of_i:
            case Operation::of_j:
                node.number = number<std::uint32_t>(0, graph_.components - 1, "component");
                node.reads = node.operation == Operation::of_i ? from_i : from_j;
                break;
            case Operation::entry:
                if (graph_.entries.empty()) refuse("has an entry of a table, but no tables");
                node.number = number<std::uint32_t>(0, 3, "entry of four");
                break;
            default:
                break;
        }
        const std::string what = "an argument of operation " + std::to_string(graph_.nodes.size()) + " (" +
                                 std::string(node.info().name) + ")";
        for (std::size_t k = 0; k < node.info().takes.size(); ++k) {
            node.args[k] = reference(what, node.info().takes[k]);
            node.reads |= graph_.nodes[node.args[k]].reads;
        }
        return node;
    }

    GraphResult result() {
        const std::size_t kinds = graph_.factors ? 0 : 2;
        GraphResult result{};
        result.kind = static_cast<ResultKind>(number<std::uint8_t>(0, kinds, "kind of result"));
        result.value = reference("a result", 'n');
        if (!graph_.factors) return result;
        result.factor = reference("a factor of a sum", 'n');
        if ((graph_.nodes[result.factor].reads & from_j) != 0)
            refuse("has a factor of a sum that is operation " + std::to_string(result.factor) +
                   ", which depends on j: allowed are those that depend on i alone");
        return result;
    }

    // The number of a node that there is already, which gives what is wanted.
    std::uint32_t reference(const std::string& what, char wanted) {
        if (bytes_.bytes_left() < sizeof(std::uint32_t)) refuse("ends within " + what);
        const auto to = bytes_.get<std::uint32_t>();
        const std::string it = "has " + what + " that is operation " + std::to_string(to);
        if (to >= graph_.nodes.size()) refuse(it + ": allowed are earlier ones");
        if (graph_.nodes[to].info().gives != wanted)
            refuse(it + (wanted == 'n' ? ", a condition: allowed is a number" : ", a number: allowed is a condition"));
        return to;
    }

    ByteReader bytes_;
    PairGraph graph_{};
};

}  // namespace

std::span<const OperationInfo> graph_operations() { return all_operations; }

PairGraph read_pair_graph(std::span<const std::byte> bytes) { return GraphReader(bytes).read(); }

}  // namespace trellis
