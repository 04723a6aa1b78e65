// A binary tree over the domains: along it, data of single domains are joined to data of many that are next to each
// other in space.
#pragma once

#include <vector>

#include "trellis/ranks/domain/shape.hpp"

namespace trellis {

// A box of domains: some slabs, in these some columns, of each the same part of its domains.
struct DomainNode {
    int owner;        // the rank that keeps it
    int left, right;  // the nodes of its halves; -1 for a single rank
};

// Node 0 has all ranks; a node stands before its halves. 2 ranks - 1 nodes, log2(ranks) + 3 levels at most. Boxes are
// halved where they have most domains side by side, so that nodes are not needles, which are far from nothing. A rank
// owns its own node and at most one more, so that none has more to do than others.
std::vector<DomainNode> domain_tree(const Shape& shape);

}  // namespace trellis
