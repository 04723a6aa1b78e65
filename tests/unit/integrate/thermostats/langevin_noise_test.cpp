#include "trellis/integrate/thermostats/langevin_noise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace trellis::langevin_noise_test {
namespace {

constexpr std::uint64_t seed = (5ULL << 32) + 11;

// Box and Muller's equation with the functions of the standard library.
Vec3<double> reference(std::uint64_t particle, std::uint64_t call) {
    const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
    const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); };
    const auto words = philox({low(particle), high(particle), low(call), high(call)}, {low(seed), high(seed)});
    const auto uniform = [&](std::size_t k) { return 0x1p-32 * (words[k] + 0.5); };
    const double ring = std::sqrt(-2 * std::log(uniform(0))), angle = 2 * std::numbers::pi * uniform(1);
    return {ring * std::cos(angle), ring * std::sin(angle),
            std::sqrt(-2 * std::log(uniform(2))) * std::cos(2 * std::numbers::pi * uniform(3))};
}

LangevinBlock block_from(std::uint64_t first, std::uint64_t call) {
    std::uint64_t particles[langevin_block];
    for (std::size_t k = 0; k < langevin_block; ++k) particles[k] = first + k;
    LangevinBlock noise;
    langevin_noise(seed, particles, call, noise);
    return noise;
}

// Calls take(particle, call, noise) for numbers of particles and calls below and above 2^32.
template <class Take>
void over_noise(std::uint64_t blocks, const Take& take) {
    for (const std::uint64_t call : {std::uint64_t{3}, 3 + (std::uint64_t{1} << 33)})
        for (std::uint64_t first = (std::uint64_t{1} << 32) - 8 * blocks; blocks > 0; first += langevin_block) {
            if (first >= (std::uint64_t{1} << 32) + 8 * blocks) break;
            const LangevinBlock noise = block_from(first, call);
            for (std::size_t k = 0; k < langevin_block; ++k)
                take(first + k, call, Vec3<double>{noise.axis[0][k], noise.axis[1][k], noise.axis[2][k]});
        }
}

TEST(LangevinNoise, is_that_of_the_standard_functions_within_rounding) {
    over_noise(2000, [](std::uint64_t particle, std::uint64_t call, const Vec3<double>& noise) {
        const Vec3<double> right = reference(particle, call);
        for (std::size_t axis = 0; axis < 3; ++axis) ASSERT_NEAR(noise[axis], right[axis], 6e-15) << particle;
    });
}

// The radius at the ends, where the logarithm is largest and where it is nearly zero, and directions at whole quarters.
TEST(LangevinNoise, is_right_at_the_ends) {
    for (const std::uint64_t word : {0ULL, 1ULL, 2ULL, 0x7FFFFFFFULL, 0xB504F333ULL, 0xFFFFFFFEULL, 0xFFFFFFFFULL}) {
        const double u = 0x1p-32 * (static_cast<double>(word) + 0.5), right = std::sqrt(-2 * std::log(u));
        EXPECT_NEAR(normals::radius(u), right, 1e-15 * right) << word;
    }
    for (int k = 0; k <= 64; ++k) {
        const auto [x, y] = normals::direction(0.0625 * k);
        EXPECT_NEAR(x, std::cos(std::numbers::pi * k / 32), 1e-15) << k;
        EXPECT_NEAR(y, std::sin(std::numbers::pi * k / 32), 1e-15) << k;
    }
}

// On every instruction set; the scalar function has these bits as well where multiply-adds are not fused.
TEST(LangevinNoise, has_the_same_bits_everywhere) {
    std::uint64_t all = 0;
    over_noise(500, [&](std::uint64_t, std::uint64_t, const Vec3<double>& noise) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            all = (all ^ std::bit_cast<std::uint64_t>(noise[axis])) * 0x9E3779B97F4A7C15 + (all >> 29);
    });
    EXPECT_EQ(all, 16094247394638619915u);
#if !defined(__FMA__) && defined(__x86_64__)
    over_noise(500, [&](std::uint64_t particle, std::uint64_t call, const Vec3<double>& noise) {
        ASSERT_EQ(noise, langevin_noise(seed, particle, call));
    });
#endif
}

// Moments of 1.5 million numbers (standard errors 0.0008, 0.0012, 0.008 of the fourth) and tails beyond 2, 3 and 4,
// whose shares are erfc(k / sqrt(2)).
TEST(LangevinNoise, is_normal) {
    double mean = 0, square = 0, fourth = 0, count = 0;
    std::array<double, 3> beyond{};
    over_noise(16000, [&](std::uint64_t, std::uint64_t, const Vec3<double>& noise) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double x = noise[axis];
            mean += x, square += x * x, fourth += x * x * x * x, count += 1;
            for (int k = 0; k < 3; ++k) beyond[static_cast<std::size_t>(k)] += std::abs(x) > k + 2 ? 1 : 0;
        }
    });
    EXPECT_GT(count, 1e6);
    EXPECT_NEAR(mean / count, 0, 4 / std::sqrt(count));
    EXPECT_NEAR(square / count, 1, 4 * std::sqrt(2 / count));
    EXPECT_NEAR(fourth / count, 3, 4 * std::sqrt(96 / count));
    for (int k = 0; k < 3; ++k) {
        const double expected = count * std::erfc((k + 2) / std::numbers::sqrt2);
        EXPECT_NEAR(beyond[static_cast<std::size_t>(k)], expected, 4 * std::sqrt(expected)) << k + 2;
    }
}

}  // namespace
}  // namespace trellis::langevin_noise_test
