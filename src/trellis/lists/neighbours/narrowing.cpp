#include "trellis/lists/neighbours/narrowing.hpp"

#include <algorithm>

namespace trellis {

void Narrowing::begin(const StagedGroup& staged, const GroupFrame& frame, const Zone& zone, GroupClusters& clusters) {
    staged_ = &staged;
    clusters_ = &clusters;
    i_reaches_ = frame.search.search != Search::scatter;
    margin_ = frame.staged(frame.margin_of(zone.radius * frame.search.factor, zone));
    clusters.begins.assign(1, 0);
    clusters.entries.clear();
}

void Narrowing::add_block(std::span<const std::uint32_t> numbers, std::uint32_t own, std::uint32_t end) {
    take(numbers);
    const StagedPositions positions{x_.data(), y_.data(), z_.data(),
                                    staged_->positions().reach == nullptr ? nullptr : reach_.data()};
    auto& entries = clusters_->entries;
    const auto count = static_cast<std::uint32_t>(numbers.size());
    for (std::uint32_t first = own; first < end; first += SearchTree::cluster_size) {
        const ClusterPoints points = points_of(first, std::min(first + SearchTree::cluster_size, end));
        const std::size_t found =
            TRELLIS_VARIANT(find_near_points)(positions, numbers_.data(), count, points, found_.data());
        entries.insert(entries.end(), found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(found));
        clusters_->begins.push_back(static_cast<std::uint32_t>(entries.size()));
    }
}

void Narrowing::take(std::span<const std::uint32_t> numbers) {
    const std::size_t room = numbers.size() + SearchTree::block_size;
    if (numbers_.size() < room) {
        numbers_.resize(2 * room);
        found_.resize(2 * room);
        for (auto* values : {&x_, &y_, &z_, &reach_}) values->resize(2 * room);
    }
    const StagedPositions all = staged_->positions();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::uint32_t number = numbers[k];
        numbers_[k] = number;
        x_[k] = all.x[number];
        y_[k] = all.y[number];
        z_[k] = all.z[number];
    }
    if (all.reach == nullptr) return;
    for (std::size_t k = 0; k < numbers.size(); ++k) reach_[k] = all.reach[numbers[k]];
}

ClusterPoints Narrowing::points_of(std::uint32_t first, std::uint32_t end) const {
    const StagedPositions all = staged_->positions();
    ClusterPoints points{};
    for (std::uint32_t k = 0; k < SearchTree::cluster_size; ++k) {
        const std::uint32_t number = std::min(first + k, end - 1);
        points.x[k] = all.x[number];
        points.y[k] = all.y[number];
        points.z[k] = all.z[number];
        points.reach[k] = i_reaches_ ? staged_->reach(number) : 0;
    }
    points.margin = margin_;
    return points;
}

}  // namespace trellis
