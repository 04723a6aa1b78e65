// Conversion of numbers to integers and back: the first conversion rounds, later ones in both directions are exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace trellis {

// 2^exponent; the exponent is clamped to [-1000, 1000], where 2^-exponent exists as well.
inline double power_of_two(int exponent) {
    const int kept = std::clamp(exponent, -1000, 1000);
    return std::bit_cast<double>(static_cast<std::uint64_t>(kept + 1023) << 52);
}

// The exponent of the largest power of two that is not above value >= 0; -1023 for zero and subnormal numbers.
inline int exponent_of(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) - 1023; }

// Numbers as multiples of 2^exponent, clamped to 2^62 of them.
class Multiples {
  public:
    explicit Multiples(int exponent) : step_(power_of_two(exponent)), per_step_(1 / step_) {}

    std::int64_t integer(double value) const {
        constexpr double limit = 0x1p62;
        return std::llrint(std::clamp(value * per_step_, -limit, limit));
    }
    double value(std::int64_t integer) const { return static_cast<double>(integer) * step_; }

  private:
    double step_, per_step_;
};

// Numbers cut off after `digits` binary digits behind the first: 52 keeps a double, 23 a float.
class Digits {
  public:
    explicit Digits(int digits) : left_out_(52 - digits) {}

    std::int64_t integer(double value) const {
        const auto size = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::abs(value)) >> left_out_);
        return std::signbit(value) ? -size : size;
    }
    double value(std::int64_t integer) const {
        const double size = std::bit_cast<double>(static_cast<std::uint64_t>(std::abs(integer)) << left_out_);
        return integer < 0 ? -size : size;
    }
    // The least number not below value >= 0 that survives the conversion unchanged.
    double up(double value) const {
        const std::uint64_t rest = (std::uint64_t{1} << left_out_) - 1;
        return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + rest) & ~rest);
    }

  private:
    int left_out_;
};

}  // namespace trellis
