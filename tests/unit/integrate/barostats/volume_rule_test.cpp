#include "trellis/integrate/barostats/volume_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace trellis::volume_rule_test {

constexpr Barostat barostat{.every = 1, .pressure = 1.5, .longest_move = 0.2, .seed = 0x123456789abcdef0};

TEST(VolumeRule, AcceptsByTheChangeOfEnthalpyAndVolume) {
    const VolumeMove moves[] = {{0.1, 2, 0.5}, {-0.1, -2, 0.7}, {0.05, 1, -40}, {-0.2, -3, 4}};
    for (const VolumeMove& move : moves) {
        const double weight = std::exp(-(move.energy + 1.5 * move.volume) / 0.8) * std::exp(8 * move.logarithm);
        for (int k = 0; k < 100; ++k) {
            const double chance = 0.01 * k + 0.003;
            EXPECT_EQ(volume_accepted(barostat, 7, 0.8, move, chance), chance < weight) << move.energy << ", " << k;
        }
    }
}

TEST(VolumeRule, AcceptsNoEnergyThatIsNotFinite) {
    const double infinity = INFINITY;
    EXPECT_FALSE(volume_accepted(barostat, 7, 0.8, {-0.1, -2, infinity}, 0));
    EXPECT_FALSE(volume_accepted(barostat, 7, 0.8, {-0.1, -2, NAN}, 0));
}

TEST(VolumeRule, DrawsMovesEvenlyByStepAndSeed) {
    constexpr int draws = 20'000;
    std::vector<double> moves, chances;
    for (int step = 0; step < draws; ++step) {
        const VolumeDraw draw(barostat, static_cast<std::uint64_t>(step));
        moves.push_back(draw.move / barostat.longest_move);
        chances.push_back(draw.chance);
    }
    EXPECT_EQ(VolumeDraw(barostat, 3).move, moves[3] * barostat.longest_move);
    Barostat other = barostat;
    ++other.seed;
    EXPECT_NE(VolumeDraw(other, 3).move, VolumeDraw(barostat, 3).move);
    const auto furthest = [](std::vector<double>& values, double low, double side) {
        std::ranges::sort(values);
        double most = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            EXPECT_TRUE(values[k] >= low && values[k] < low + side);
            most = std::max(most, std::abs((values[k] - low) / side - static_cast<double>(k) / draws));
        }
        return most * std::sqrt(draws);
    };
    EXPECT_LT(furthest(moves, -1, 2), 2);  // Kolmogorov & Smirnov: 7e-4 of all tests are beyond it
    EXPECT_LT(furthest(chances, 0, 1), 2);
}

}  // namespace trellis::volume_rule_test
