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
    // vectors may be read. searching: false: nothing is found. All arguments outlive the search.
    CloseSearch(const Scene& scene, std::uint32_t group, std::size_t largest, double softening,
                const std::array<const R*, 3>& x, bool searching)
        : scene_(scene),
          sphere_(scene.spheres[group]),
          softening_(softening),
          of_group_(close_distance(sphere_.radius, scene.cells[group].count)),
          of_leaf_(close_distance(1, largest)),
          x_(x),
          count_(scene.cells[group].count),
          searching_(searching) {}

    void look_in_group() {
        if (!searching_ || softening_ >= of_group_) return;
        if (count_ > 1 && count_ <= lone) return found();
        std::size_t within = 0;
        for (std::size_t i = 0; i < count_; ++i)
            within += count_within(of_group_, {x_[0][i], x_[1][i], x_[2][i]}, i / lanes<R> * lanes<R>);
        if (within > count_) found();  // each is within reach of itself
    }

    // image: the shift of the image of the leaf.
    void look_in_leaf(std::uint32_t leaf, const Vec3<double>& image) {
        if (!searching_) return;
        const Sphere& sphere = scene_.spheres[leaf];
        const double distance = std::max(of_group_, of_leaf_ * sphere.radius);
        if (softening_ >= distance) return;
        const Vec3<double> offset = sphere.centre + image - sphere_.centre;
        const double within = sphere.radius + sphere_.radius + distance;
        if (dot(offset, offset) <= within * within && is_close(scene_.cells[leaf], offset, distance)) found();
    }

    bool any() const { return found_; }

  private:
    using LaneBits = unsigned long;

    // Groups of so few particles may be a binary alone, which has no other scale.
    static constexpr std::size_t lone = 4;

    static LaneBits first_lanes(std::size_t count) {
        return count < lanes<R> ? (LaneBits{1} << count) - 1 : ~LaneBits{0};
    }

    void found() {
        found_ = true;
        searching_ = false;
    }

    // True if an i-particle is within a distance of a particle of a leaf, whose centre is at `offset`.
    bool is_close(const Cell& leaf, const Vec3<double>& offset, double distance) {
        if (high_.x < low_.x) find_box();
        const R* first = static_cast<const R*>(scene_.j_particles) + leaf.first;
        const std::array<const R*, 3> x{first, first + scene_.j_stride, first + 2 * scene_.j_stride};
        const Vec3<R> origin{static_cast<R>(offset.x), static_cast<R>(offset.y), static_cast<R>(offset.z)};
        for (std::size_t j = 0; j < leaf.count; j += lanes<R>) {
            LaneBits near = first_lanes(leaf.count - j);
            for (std::size_t c = 0; c < 3; ++c) {
                const Batch<R> at = load_unaligned(x[c] + j) + origin[c];
                const auto beyond = static_cast<R>(distance);
                near &= bits_of(at > Batch<R>(low_[c] - beyond) && at < Batch<R>(high_[c] + beyond));
            }
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
            low_[c] = *low;
            high_[c] = *high;
        }
    }

    const Scene& scene_;
    const Sphere& sphere_;
    double softening_, of_group_, of_leaf_;  // of_leaf: over the leaf's radius
    const std::array<const R*, 3> x_;
    std::size_t count_;
    Vec3<R> low_{1, 1, 1}, high_{0, 0, 0};  // of the box around the i-particles, once it is needed
    bool searching_, found_ = false;
};

TRELLIS_ISA_END
}  // namespace trellis
