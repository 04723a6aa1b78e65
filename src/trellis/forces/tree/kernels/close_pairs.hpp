// Pairs that are too close for single precision. For kernel sources only.
//
// Positions are rounded relative to the centre of a cell, so that a pair at a distance s in a cell of radius R gets a
// force with a relative error of some 1e-7 R / s: too much for a binary star, whose orbit would change at random, or
// for the moon of a planet. A group that has such a pair takes all near pairs in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "trellis/base/batch.hpp"
#include "trellis/forces/tree/kernels/scene.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The distance below which a pair is close in a cell of this radius with count particles: where these are independent,
// one cell of some thousand has a closer pair.
inline double close_distance(double radius, std::size_t count) {
    return 0.1 * radius / std::cbrt(static_cast<double>(count * count));
}

// Looks for close pairs of a group, among its i-particles and with near leaves.
template <class R>
class CloseSearch {
  public:
    // largest: the number of particles of a large group. softening: the distance within which pairs need no more
    // digits. x: the components of the positions of the group's i-particles relative to its centre, of which whole
    // vectors may be read. All arguments outlive the search.
    CloseSearch(const Scene& scene, std::uint32_t group, std::size_t largest, double softening,
                const std::array<const R*, 3>& x)
        : scene_(scene),
          softening_(softening),
          of_group_(close_distance(scene.spheres[group].radius, scene.cells[group].count)),
          of_leaf_(close_distance(1, largest)),
          x_(x),
          count_(scene.cells[group].count) {
        find_box();
    }

    // True if two i-particles are close.
    bool in_group() const {
        if (softening_ >= of_group_) return false;
        if (count_ > 1 && count_ <= lone) return true;
        std::size_t within = 0;
        for (std::size_t i = 0; i < count_; ++i)
            within += count_within(of_group_, {x_[0][i], x_[1][i], x_[2][i]}, i / lanes<R> * lanes<R>);
        return within > count_;  // each is within reach of itself
    }

    // True if an i-particle is close to a particle of the leaf. offset: the centre of the leaf, or of its image,
    // relative to that of the group.
    bool in_leaf(std::uint32_t leaf, const Vec3<double>& offset) const {
        const double radius = scene_.spheres[leaf].radius, distance = std::max(of_group_, of_leaf_ * radius);
        return softening_ < distance && is_near(offset, radius + distance) &&
               is_close(scene_.cells[leaf], offset, distance);
    }

  private:
    using LaneBits = unsigned long;

    // Groups of so few particles may be a binary alone, which has no other scale.
    static constexpr std::size_t lone = 4;

    static LaneBits first_lanes(std::size_t count) {
        return count < lanes<R> ? (LaneBits{1} << count) - 1 : ~LaneBits{0};
    }

    // True if a position is within a distance of the box of the i-particles.
    bool is_near(const Vec3<double>& position, double distance) const {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const double beyond = std::max(0.0, std::abs(position[c] - middle_[c]) - half_[c]);
            square += beyond * beyond;
        }
        return square < distance * distance;
    }

    // True if an i-particle is within a distance of a particle of a leaf, whose centre is at `offset`.
    bool is_close(const Cell& leaf, const Vec3<double>& offset, double distance) const {
        const R* first = static_cast<const R*>(scene_.j_particles) + leaf.first;
        const std::array<const R*, 3> x{first, first + scene_.j_stride, first + 2 * scene_.j_stride};
        const Vec3<R> origin{static_cast<R>(offset.x), static_cast<R>(offset.y), static_cast<R>(offset.z)};
        const auto within = [&](std::size_t c, std::size_t j) {
            const Batch<R> from_middle = load_unaligned(x[c] + j) + (origin[c] - static_cast<R>(middle_[c]));
            return max(from_middle, -from_middle) < Batch<R>(static_cast<R>(half_[c] + distance));
        };
        for (std::size_t j = 0; j < leaf.count; j += lanes<R>) {
            LaneBits near = bits_of(within(0, j) && within(1, j) && within(2, j)) & first_lanes(leaf.count - j);
            for (; near != 0; near &= near - 1) {
                const std::size_t k = j + static_cast<std::size_t>(std::countr_zero(near));
                if (count_within(distance, {x[0][k] + origin.x, x[1][k] + origin.y, x[2][k] + origin.z}, 0) > 0)
                    return true;
            }
        }
        return false;
    }

    // The number of i-particles from number `begin` on, at the beginning of a batch, within a distance of a position.
    std::size_t count_within(double distance, const Vec3<R>& position, std::size_t begin) const {
        const Batch<R> square = static_cast<R>(distance * distance);
        int within = 0;
        for (std::size_t i = begin; i < count_; i += lanes<R>) {
            const Batch<R> x = load(x_[0] + i) - position.x, y = load(x_[1] + i) - position.y,
                           z = load(x_[2] + i) - position.z;
            within += std::popcount(bits_of(x * x + y * y + z * z < square) & first_lanes(count_ - i));
        }
        return static_cast<std::size_t>(within);
    }

    void find_box() {
        for (std::size_t c = 0; c < 3; ++c) {
            const auto [low, high] = std::minmax_element(x_[c], x_[c] + count_);
            middle_[c] = 0.5 * (double{*low} + *high);
            half_[c] = 0.5 * (double{*high} - *low);
        }
    }

    const Scene& scene_;
    double softening_, of_group_, of_leaf_;  // of_leaf: over the leaf's radius
    const std::array<const R*, 3> x_;
    std::size_t count_;
    Vec3<double> middle_, half_;  // of the box around the i-particles: its centre, and half its edges
};

TRELLIS_ISA_END
}  // namespace trellis
