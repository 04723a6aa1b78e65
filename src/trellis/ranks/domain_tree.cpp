#include "trellis/ranks/domain_tree.hpp"

namespace trellis {

namespace {

// Where the ranks first to end - 1 are halved: between slabs if they have several, else between columns, else between domains.
int middle(const Shape& shape, int first, int end) {
    const int slab = shape.slab_of(first), last_slab = shape.slab_of(end - 1);
    if (slab < last_slab) return shape.begin((slab + last_slab + 1) / 2);
    const int column = shape.column_of(first), last_column = shape.column_of(end - 1);
    if (column < last_column) return shape.begin(slab, (column + last_column + 1) / 2);
    return (first + end) / 2;
}

int add_node(std::vector<DomainNode>& nodes, const Shape& shape, int first, int end) {
    const int node = static_cast<int>(nodes.size());
    nodes.push_back({first, end, -1, -1});
    if (end - first > 1) {
        const int cut = middle(shape, first, end);
        const int left = add_node(nodes, shape, first, cut), right = add_node(nodes, shape, cut, end);
        nodes[static_cast<std::size_t>(node)] = {first, end, left, right};
    }
    return node;
}

}  // namespace

std::vector<DomainNode> domain_tree(const Shape& shape) {
    std::vector<DomainNode> nodes;
    nodes.reserve(2 * static_cast<std::size_t>(shape.ranks) - 1);
    add_node(nodes, shape, 0, shape.ranks);
    return nodes;
}

}  // namespace trellis
