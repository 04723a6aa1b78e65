// Morton keys: 21 bits for each axis, interleaved x y z from the highest, 63 bits in all (Warren & Salmon 1993).
#pragma once

#include <algorithm>
#include <cstdint>

#include "trellis/particles/box.hpp"

namespace trellis {

inline constexpr int key_bits_an_axis = 21;
inline constexpr int key_bits = 3 * key_bits_an_axis;

// Puts two zero bits before each of the low 21 bits.
constexpr std::uint64_t spread_bits(std::uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffffULL;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffULL;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fULL;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3ULL;
    bits = (bits | bits << 2) & 0x1249249249249249ULL;
    return bits;
}

constexpr std::uint64_t interleave(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
}

// Makes the key of a position in the root cell. A position outside it by a rounding error has the key of the nearest
// edge.
class KeyMaker {
  public:
    TRELLIS_HOST_DEVICE explicit KeyMaker(const Box& root)
        : low_(root.low), scale_((1 << key_bits_an_axis) / root.side) {}

    TRELLIS_HOST_DEVICE std::uint64_t operator()(const Vec3<double>& at) const {
        return interleave(grid(at.x - low_.x), grid(at.y - low_.y), grid(at.z - low_.z));
    }

    // The finer key of a position, within the cell of all positions that have its key.
    std::uint64_t finer(const Vec3<double>& at) const {
        return interleave(finer_grid(at.x - low_.x), finer_grid(at.y - low_.y), finer_grid(at.z - low_.z));
    }

  private:
    TRELLIS_HOST_DEVICE static std::uint32_t whole(double value) {
        return static_cast<std::uint32_t>(std::clamp(value, 0.0, (1 << key_bits_an_axis) - 1.0));
    }
    TRELLIS_HOST_DEVICE std::uint32_t grid(double offset) const { return whole(offset * scale_); }
    std::uint32_t finer_grid(double offset) const {
        return whole((offset * scale_ - grid(offset)) * (1 << key_bits_an_axis));
    }

    Vec3<double> low_;
    double scale_;
};

}  // namespace trellis
