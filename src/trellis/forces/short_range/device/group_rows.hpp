// The rows of a group's j-particles in the table that the lists on a device name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/lists/neighbours/neighbour_lists.hpp"

namespace trellis {

// Finds the rows of a group's j-particles by their numbers: those behind the group's own are rising.
class GroupRows {
  public:
    // range_rows: the first row of each range.
    GroupRows(const NeighbourGroup& group, std::span<const std::uint32_t> range_rows)
        : group_(group), range_rows_(range_rows), end_(group.count) {}

    std::uint32_t operator()(std::uint32_t number) {
        if (number < group_.count) return group_.first + number;
        for (; number >= end_; ++next_) {
            begin_ = end_;
            end_ += group_.ranges[next_].end - group_.ranges[next_].first;
        }
        return range_rows_[next_ - 1] + (number - begin_);
    }

  private:
    const NeighbourGroup& group_;
    std::span<const std::uint32_t> range_rows_;
    std::size_t next_ = 0;           // the next range
    std::uint32_t begin_ = 0, end_;  // the numbers of the present one
};

}  // namespace trellis
