// Groups, lists and rows made by hand, and forces summed by a plain loop in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

// Particles in a ball of radius 1, far from the origin; contiguous groups of equal size.
class HandMadeLists {
  public:
    HandMadeLists(std::uint32_t particles, std::uint32_t group_size, std::uint32_t group_count, double distance)
        : positions_(particles), masses_(particles) {
        std::mt19937_64 random(group_size);
        std::normal_distribution<double> gauss;
        std::uniform_real_distribution<double> uniform(0.5, 1.5);
        for (auto& x : positions_) x = {distance + gauss(random), distance + gauss(random), distance + gauss(random)};
        for (double& m : masses_) m = uniform(random) / particles;
        for (std::uint32_t g = 0; g < group_count; ++g) add_group(g * group_size, group_size, random);
    }

    const std::vector<trellis::DeviceGroup>& groups() const { return groups_; }
    const std::vector<trellis::RowRange>& ranges() const { return ranges_; }
    const std::vector<std::uint32_t>& indices() const { return indices_; }  // the expected lists of row numbers
    std::size_t result_count() const { return result_count_; }              // i-particles

    // Gives two particles the same position: the first of the first group, and one on its list.
    void put_two_at_one_place() { positions_[indices_.front()] = positions_[groups_.front().first_row]; }

    // Rows of positions and masses, for a kernel in precision R.
    template <class R>
    std::vector<R> rows() const {
        constexpr std::size_t stride = trellis::row_stride_of(4);
        std::vector<R> all(positions_.size() * stride);
        for (std::size_t k = 0; k < positions_.size(); ++k) {
            R* row = &all[k * stride];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                // The value goes through memory: when it vectorises, GCC 12 replaces double(float(x)) by x, and the
                // remainder would be zero.
                const volatile R value = static_cast<R>(positions_[k][axis]);
                row[axis] = value;
                row[axis + 3] = static_cast<R>(positions_[k][axis] - static_cast<double>(value));
            }
            row[trellis::place_in_row(3)] = static_cast<R>(masses_[k]);
        }
        return all;
    }

    // The largest error of results (acceleration and potential of each i-particle), relative to the sum of the absolute
    // values of all contributions. NaN if any result is.
    template <class R>
    double worst_error(const std::vector<R>& results, double epsilon2) const {
        double worst = 0;
        for (const trellis::DeviceGroup& group : groups_)
            for (std::uint32_t i = 0; i < group.count; ++i) {
                const double error = error_of(group, i, &results[4 * (group.first_result + i)], epsilon2);
                if (std::isnan(error)) return error;
                worst = std::max(worst, error);
            }
        return worst;
    }

  private:
    // A list of about 600 rows outside the group, in ranges of 0 to 40 rows and a long one.
    void add_group(std::uint32_t first_row, std::uint32_t count, std::mt19937_64& random) {
        trellis::DeviceGroup group{};
        group.first_row = first_row;
        group.count = count;
        group.first_range = static_cast<std::uint32_t>(ranges_.size());
        group.first_result = static_cast<std::uint32_t>(result_count_);
        group.first_index = indices_.size();
        const auto rows = static_cast<std::uint32_t>(positions_.size());
        const std::uint32_t ranges = groups_.size() % 8 == 7 ? 0 : 30 + 40 * (groups_.size() % 8);  // from 0 to 270
        for (std::uint32_t k = 0; k < ranges; ++k) {
            const auto length = static_cast<std::uint32_t>(k == 3 ? 300 : random() % 41);
            const std::uint32_t first = random() % 2 == 0 && first_row > length
                                            ? static_cast<std::uint32_t>(random() % (first_row - length))
                                            : first_row + count + static_cast<std::uint32_t>(random() % 200);
            const std::uint32_t kept = first + length <= rows ? length : 0;
            ranges_.push_back({first, kept});
            for (std::uint32_t row = first; row < first + kept; ++row) indices_.push_back(row);
        }
        group.range_count = ranges;
        group.index_count = static_cast<std::uint32_t>(indices_.size() - group.first_index);
        groups_.push_back(group);
        result_count_ += count;
    }

    template <class R>
    double error_of(const trellis::DeviceGroup& group, std::uint32_t i, const R* result, double epsilon2) const {
        trellis::Vec3<double> acceleration{0, 0, 0};
        double potential = 0, size = 0;
        const auto add = [&](std::uint32_t j) {
            const auto d = positions_[j] - positions_[group.first_row + i];
            const double r2 = dot(d, d) + epsilon2, rinv = r2 > 0 ? 1 / std::sqrt(r2) : 0;
            potential -= masses_[j] * rinv;
            acceleration += masses_[j] * rinv * rinv * rinv * d;
            size += masses_[j] * rinv * rinv;
        };
        for (std::uint32_t k = 0; k < group.index_count; ++k) add(indices_[group.first_index + k]);
        for (std::uint32_t k = 0; k < group.count; ++k)
            if (k != i) add(group.first_row + k);
        if (potential == 0)
            return std::abs(result[0]) + std::abs(result[1]) + std::abs(result[2]) + std::abs(result[3]);
        const trellis::Vec3<double> difference{result[0] - acceleration.x, result[1] - acceleration.y,
                                               result[2] - acceleration.z};
        return std::sqrt(dot(difference, difference)) / size + std::abs((result[3] - potential) / potential);
    }

    std::vector<trellis::Vec3<double>> positions_;
    std::vector<double> masses_;
    std::vector<trellis::DeviceGroup> groups_;
    std::vector<trellis::RowRange> ranges_;
    std::vector<std::uint32_t> indices_;
    std::size_t result_count_ = 0;
};
