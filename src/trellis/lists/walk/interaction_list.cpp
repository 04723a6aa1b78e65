#include "trellis/lists/walk/interaction_list.hpp"

namespace trellis {

namespace {

std::size_t bytes_of(const Branch& branch) {
    return branch.targets.size() * sizeof(Target) + branch.lists.size() * sizeof(ImageList) +
           (branch.far.size() + branch.super.size() + branch.near.size()) * sizeof(std::uint32_t);
}

}  // namespace

void Branch::clear() {
    targets.clear();
    lists.clear();
    far.clear();
    super.clear();
    near.clear();
}

std::ranges::iota_view<std::size_t, std::size_t> Branch::lists_of(std::size_t target) const {
    return std::views::iota(std::size_t{target == 0 ? 0 : targets[target - 1].lists_end},
                            std::size_t{targets[target].lists_end});
}

void InteractionLists::set_branches(std::size_t count) {
    if (count > branches_.size()) branches_.resize(count);
    branch_count_ = count;
    for (Branch& branch : branches()) branch.clear();
}

std::size_t InteractionLists::bytes() const {
    std::size_t total = bytes_of(trunk);
    for (const Branch& branch : branches()) total += bytes_of(branch);
    return total;
}

}  // namespace trellis
