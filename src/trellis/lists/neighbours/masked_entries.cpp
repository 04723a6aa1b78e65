#include "trellis/lists/neighbours/masked_entries.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t block_size = SearchTree::block_size;

// Masks the clusters of one group after the other. Each thread has one such object.
template <std::uint32_t cluster_size>
class GroupMask {
  public:
    GroupMask(const Exclusions& exclusions, std::span<const std::uint64_t> ids) : exclusions_(exclusions), ids_(ids) {}

    // list_of(c): the list of cluster c. masked: becomes the masked ones, of which they may be the lists.
    template <class ListOf>
    void mask(const NeighbourGroup& group, const ListOf& list_of, ClustersOf<cluster_size>& masked) {
        note_ids(group);
        masked_.begins.assign(1, 0);
        masked_.masked_begins.assign(1, 0);
        masked_.entries.clear();
        masked_.masked.clear();
        for (std::uint32_t first = 0; first < group.count; first += cluster_size) {
            const std::uint32_t own = first / block_size * block_size;
            mask_cluster(first, own, std::min(own + block_size, group.count), list_of(first / cluster_size));
            masked_.begins.push_back(static_cast<std::uint32_t>(masked_.entries.size()));
            masked_.masked_begins.push_back(static_cast<std::uint32_t>(masked_.masked.size()));
        }
        std::swap(masked, masked_);
    }

  private:
    // A particle that an i-particle has an excluded pair with.
    struct Partner {
        std::uint64_t id;
        std::uint32_t lane;  // of the i-particle in its cluster
        double factor;
    };

    // Notes the id of each of the group's j-particles, by number.
    void note_ids(const NeighbourGroup& group) {
        id_of_.clear();
        const auto put = [&](std::uint32_t first, std::uint32_t end) {
            const auto some = ids_.subspan(first, end - first);
            id_of_.insert(id_of_.end(), some.begin(), some.end());
        };
        put(group.first, group.first + group.count);
        for (const SlotRange& range : group.ranges) put(range.first, range.end);
    }

    // first: the number of the cluster's first particle; own, end: those of its block.
    void mask_cluster(std::uint32_t first, std::uint32_t own, std::uint32_t end, std::span<const std::uint32_t> list) {
        const std::uint32_t last = std::min(first + cluster_size, end);
        find_partners(first, last);
        const std::size_t before = masked_.masked.size();
        for (const std::uint32_t number : list) put(number, first, last);
        bool any = masked_.masked.size() > before;
        for (std::uint32_t number = own; number < end && !any; ++number) any = is_partner(partner_of(number), number);
        for (std::uint32_t number = own; number < end && any; ++number) put(number, first, last);
    }

    void find_partners(std::uint32_t first, std::uint32_t last) {
        partners_.clear();
        for (std::uint32_t number = first; number < last; ++number)
            for (const auto& [id, factor] : exclusions_.partners(id_of_[number]))
                partners_.push_back({id, number - first, factor});
        std::ranges::sort(partners_, {}, &Partner::id);
    }

    // The first partner whose id is not below that of a j-particle.
    std::vector<Partner>::const_iterator partner_of(std::uint32_t number) const {
        const std::uint64_t id = id_of_[number];
        if (partners_.empty() || id > partners_.back().id) return partners_.end();
        return std::ranges::lower_bound(partners_, id, {}, &Partner::id);
    }

    bool is_partner(std::vector<Partner>::const_iterator partner, std::uint32_t number) const {
        return partner != partners_.end() && partner->id == id_of_[number];
    }

    // Puts a j-particle on the list of a cluster, of the numbers first to last - 1, or among those with factors.
    void put(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
        typename ClustersOf<cluster_size>::MaskedEntry entry{number, {}};
        std::ranges::fill(entry.factors, 1);
        auto partner = partner_of(number);
        const bool in_cluster = number >= first && number < last;
        bool masked = in_cluster;
        for (; is_partner(partner, number); ++partner) {
            entry.factors[partner->lane] = partner->factor;
            masked = true;
        }
        if (in_cluster) entry.factors[number - first] = 0;
        if (masked)
            masked_.masked.push_back(entry);
        else
            masked_.entries.push_back(number);
    }

    const Exclusions& exclusions_;
    std::span<const std::uint64_t> ids_;
    std::vector<std::uint64_t> id_of_;
    std::vector<Partner> partners_;  // of the cluster, by rising ids
    ClustersOf<cluster_size> masked_;
};

}  // namespace

void mask_entries(const Exclusions& exclusions, std::span<const std::uint64_t> ids, const NeighbourLists& lists,
                  ClusterLists& clusters) {
    std::vector masks(static_cast<std::size_t>(thread_count()), GroupMask<SearchTree::cluster_size>(exclusions, ids));
    parallel_tasks(lists.groups().size(), [&](std::size_t g, int thread) {
        GroupClusters& group = clusters.group(g);
        const auto list_of = [&](std::uint32_t cluster) { return group.list(cluster); };
        masks[static_cast<std::size_t>(thread)].mask(lists.groups()[g], list_of, group);
    });
}

std::vector<GroupBlocks> masked_blocks(const Exclusions& exclusions, std::span<const std::uint64_t> ids,
                                       const NeighbourLists& lists) {
    std::vector<GroupBlocks> blocks(lists.groups().size());
    std::vector masks(static_cast<std::size_t>(thread_count()), GroupMask<block_size>(exclusions, ids));
    parallel_tasks(blocks.size(), [&](std::size_t g, int thread) {
        const NeighbourGroup& group = lists.groups()[g];
        const auto list_of = [&](std::uint32_t block) { return group.list(block); };
        masks[static_cast<std::size_t>(thread)].mask(group, list_of, blocks[g]);
    });
    return blocks;
}

}  // namespace trellis
