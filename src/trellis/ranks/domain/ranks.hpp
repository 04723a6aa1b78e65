// The ranks that share a run and the tree over their domains, as forces use them.
#pragma once

#include <memory>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/domain/domain_tree.hpp"

namespace trellis {

struct Ranks {
    std::shared_ptr<Comm> comm;
    std::vector<DomainNode> domains;  // see domain_tree
};

}  // namespace trellis
