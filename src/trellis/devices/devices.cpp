#include "trellis/devices/devices.hpp"

#include <algorithm>
#include <numeric>

namespace trellis {

Devices Devices::without(std::string_view failed) const {
    Devices rest;
    for (const auto& device : all_)
        if (auto successor = device->successor(failed)) rest.all_.push_back(std::move(successor));
    return rest;
}

std::string Devices::names() const {
    std::string names;
    for (const auto& device : all_) names += (names.empty() ? "" : ", ") + device->name();
    return names;
}

std::vector<std::size_t> equal_shares(std::span<const std::uint64_t> counts, std::span<const std::uint64_t> had) {
    const auto sum = [](auto values) { return std::accumulate(values.begin(), values.end(), std::uint64_t{0}); };
    const std::uint64_t goal = (sum(counts) + sum(had) + had.size() - 1) / had.size();
    std::vector<std::size_t> ends;
    std::size_t next = 0;
    std::uint64_t given = 0, due = 0;  // sums over the devices so far
    for (const std::uint64_t has : had) {
        due += goal - std::min(goal, has);
        while (next < counts.size() && given + counts[next] / 2 < due) given += counts[next++];
        ends.push_back(next);
    }
    ends.back() = counts.size();
    return ends;
}

}  // namespace trellis
