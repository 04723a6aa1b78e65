#include "trellis/ranks/comm/exact_sum.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::exact_sum_test {

double sum_of(const std::vector<double>& terms) {
    return exact_sum(*serial_comm(), terms.size(), [&](std::size_t k) { return terms[k]; });
}

// Terms of both signs, over nine orders of magnitude.
std::vector<double> uneven_terms() {
    models::Random random(1);
    std::vector<double> terms(40'000);
    for (double& term : terms) term = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-9, 0));
    return terms;
}

TEST(ExactSum, is_the_sum) {
    EXPECT_EQ(sum_of({1, 2, 3.5, -0.25}), 6.25);
    EXPECT_EQ(sum_of({1e16, 1, -1e16}), 1);
    EXPECT_EQ(sum_of({1e-280, 3e-280}), 4e-280);
    EXPECT_EQ(sum_of({std::numeric_limits<double>::max()}), std::numeric_limits<double>::max());
    EXPECT_EQ(sum_of({0, 0}), 0);
    EXPECT_EQ(sum_of({}), 0);
    const auto terms = uneven_terms();
    const long double exact = std::accumulate(terms.begin(), terms.end(), 0.0L);
    EXPECT_NEAR(sum_of(terms), static_cast<double>(exact), 1e-14);
}

TEST(ExactSum, of_terms_that_are_not_finite_is_not_a_number) {
    for (const double wrong : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_TRUE(std::isnan(sum_of({1, wrong})));
        EXPECT_TRUE(std::isnan(sum_of({wrong, 1})));
    }
}

TEST(ExactSum, has_the_same_bits_in_any_order_and_for_any_threads_and_ranks) {
    auto terms = uneven_terms();
    const double alone = sum_of(terms);
    std::ranges::reverse(terms);
    EXPECT_EQ(with_threads(3, [&] { return sum_of(terms); }), alone);
    for (std::size_t ranks = 2; ranks <= 4; ++ranks)
        run_ranks(static_cast<int>(ranks), [&](Comm& comm) {
            const auto rank = static_cast<std::size_t>(comm.rank());
            const std::size_t own =
                (terms.size() + ranks - 1 - rank) / ranks;  // number of terms rank, rank + ranks, ...
            EXPECT_EQ(exact_sum(comm, own, [&](std::size_t k) { return terms[k * ranks + rank]; }), alone);
        });
}

}  // namespace trellis::exact_sum_test
