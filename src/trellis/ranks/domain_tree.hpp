// A binary tree over the domains: what is known of single domains combines along it to what is known of many, in space next to each other.
#pragma once

#include <vector>

#include "trellis/ranks/shape.hpp"

namespace trellis {

// The ranks first to end - 1: some slabs, or some columns of a slab, or some domains of a column.
struct DomainNode {
    int first, end;
    int left, right;  // the nodes of its halves; -1 for a single rank
};

// Node 0 has all ranks; a node stands before its halves. 2 ranks - 1 nodes, log2(ranks) + 3 levels at most.
std::vector<DomainNode> domain_tree(const Shape& shape);

}  // namespace trellis
