// A binary tree over the domains, along which data of single domains are joined to data of many adjacent ones.
#pragma once

#include <vector>

#include "trellis/ranks/domain/shape.hpp"

namespace trellis {

// A box of domains: a range of slabs, in them a range of columns, and in each column the same part of its domains.
struct DomainNode {
    int owner;        // the rank that keeps the node's data
    int left, right;  // the nodes of the halves; -1 for a single rank
};

// Returns 2 ranks - 1 nodes in at most log2(ranks) + 3 levels; node 0 holds all ranks, and a node stands before its
// halves. Boxes are halved along the axis with most domains side by side: elongated nodes would be far from few others.
// A rank owns its own node and at most one more, which spreads the work evenly.
std::vector<DomainNode> domain_tree(const Shape& shape);

}  // namespace trellis
