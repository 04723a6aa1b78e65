#include "trellis/forces/run_time/far_field/far_graph.hpp"

#include <string>
#include <type_traits>

#include "trellis/base/error.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

namespace {

// Kernels of pairs begin with other bytes: graphs/pair_launch.cpp.
constexpr std::byte of_far_field{3};

static_assert(std::is_trivially_copyable_v<FarHead> && sizeof(FarHead) == 6);

[[noreturn]] void refuse(const std::string& what) { throw InputError("the graph of a far field " + what); }

void check(const FarHead& head) {
    if (head.kernel != FarKernel::locals && head.kernel != FarKernel::far_field)
        refuse("is for kernel " + std::to_string(static_cast<int>(head.kernel)) + ": allowed are 0 and 1");
    if (head.order < 2 || head.order > highest_order)
        refuse("is of order " + std::to_string(head.order) + ": allowed are 2 to " + std::to_string(highest_order));
    if (head.value_bytes != sizeof(float) && head.value_bytes != sizeof(double))
        refuse("is in no precision: allowed are single and double");
    if (head.results > most_run_time_components || head.first_of_acceleration + 3 > head.results ||
        head.of_potential >= head.results)
        refuse("has " + std::to_string(head.results) + " results: acceleration and potential are not among them");
}

void check(const FarGraph& far) {
    const PairGraph& graph = far.graph;
    if (graph.short_range || !graph.entries.empty()) refuse("is of short range or has tables: allowed is neither");
    if (graph.results.size() < far.derivatives())
        refuse("has " + std::to_string(graph.results.size()) + " radial derivatives: wanted are " +
               std::to_string(far.derivatives()));
    for (const GraphNode& node : graph.nodes) {
        if (node.operation == Operation::of_j && node.number > 1)
            refuse("reads component " + std::to_string(node.number) + " of j: allowed are 0 and 1");
        if (node.operation == Operation::of_i && node.number < 3) refuse("reads a position: allowed are other fields");
        if (node.reads == (from_i | from_j)) refuse("has an operation on i and j: allowed is one on either");
    }
    for (std::size_t n = 0; n < far.derivatives(); ++n)
        if ((graph.nodes[far.derivative(n)].reads & from_i) != 0)
            refuse("has a radial derivative that depends on i: allowed are those that do not");
}

}  // namespace

std::vector<std::byte> far_bytes(const FarHead& head, std::span<const std::byte> graph) {
    ByteWriter bytes;
    bytes.put(of_far_field);
    bytes.put(head);
    bytes.put(graph);
    return bytes.take();
}

bool are_far_bytes(std::span<const std::byte> bytes) { return !bytes.empty() && bytes[0] == of_far_field; }

FarGraph read_far_graph(std::span<const std::byte> bytes) {
    ByteReader reader(bytes.subspan(1));
    if (reader.bytes_left() < sizeof(FarHead)) refuse("ends within its head");
    const auto head = reader.get<FarHead>();
    check(head);
    FarGraph far{head, read_pair_graph(bytes.subspan(1 + sizeof head))};
    check(far);
    return far;
}

}  // namespace trellis
