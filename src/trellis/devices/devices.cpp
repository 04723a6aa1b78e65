#include "trellis/devices/devices.hpp"

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
    const std::uint64_t goal = (sum(counts) + sum(had)) / had.size();
    std::vector<std::size_t> ends;
    std::size_t next = 0;
    for (std::uint64_t has : had) {
        while (next < counts.size() && has + counts[next] / 2 < goal) has += counts[next++];
        ends.push_back(next);
    }
    ends.back() = counts.size();
    return ends;
}

}  // namespace trellis
