#include "trellis/ensembles/topology/set_tables.hpp"

#include <map>

#include "trellis/base/error.hpp"

namespace trellis {

// Systems with the same ids share their lists.
void SetTables::fill(const SystemTopologies& all, std::size_t kinds, const Make& make) {
    const std::size_t systems = all.ids.size(), hamiltonians = all.of_hamiltonians.size();
    lists_.assign(kinds * systems * hamiltonians, {});
    std::map<std::vector<std::uint64_t>, std::map<const Topology*, std::vector<SetLists>>> known;
    for (std::size_t system = 0; system < systems; ++system) {
        const auto ids = all.ids[system];
        auto& of_ids = known[{ids.begin(), ids.end()}];
        for (std::size_t h = 0; h < hamiltonians; ++h) {
            const auto [found, is_new] = of_ids.try_emplace(all.of_hamiltonians[h]);
            try {
                if (is_new) found->second = make(*all.of_hamiltonians[h], ids, *this);
            } catch (const InputError&) {
                continue;
            }
            for (std::size_t kind = 0; kind < found->second.size(); ++kind)
                lists_[(kind * systems + system) * hamiltonians + h] = found->second[kind];
        }
    }
}

SetLists SetTables::add(const Entries& entries, std::span<const std::uint32_t> members,
                        std::span<const double> values) {
    SetLists made{.first_begin = numbers_.size(),
                  .first_entry = numbers_.size() + entries.size() + 1,
                  .first_member = 0,
                  .first_value = values_.size(),
                  .particles = static_cast<std::uint32_t>(entries.size()),
                  .entries = 0,
                  .tuples = 0};
    numbers_.push_back(0);
    for (const auto& list : entries) numbers_.push_back(made.entries += static_cast<std::uint32_t>(list.size()));
    for (const auto& list : entries) numbers_.insert(numbers_.end(), list.begin(), list.end());
    made.first_member = numbers_.size();
    numbers_.insert(numbers_.end(), members.begin(), members.end());
    values_.insert(values_.end(), values.begin(), values.end());
    return made;
}

void SetTables::upload(const std::shared_ptr<Device>& device, Queue& queue) {
    const std::span<const std::byte> all[] = {std::as_bytes(std::span(lists_)), std::as_bytes(std::span(numbers_)),
                                              std::as_bytes(std::span(values_))};
    for (std::size_t k = 0; k < std::size(all); ++k) memory_[k] = DeviceMemory(device, all[k].size());
    for (std::size_t k = 0; k < std::size(all); ++k)  // not before there is memory for all of them
        if (!all[k].empty()) queue.upload(memory_[k], 0, all[k]);
}

}  // namespace trellis
