#include "trellis/forces/molecules/mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/error_message.hpp"

namespace trellis::mixture_test {

Mixture of_two() {
    Mixture mixture;
    mixture.kinds = {{"A", 1, 1}, {"B", 0.5, 0.88}};
    return mixture;
}

std::string refused(const Mixture& mixture) {
    return message_of([&] { parameters_of_pairs(mixture); });
}

TEST(Mixture, follows_its_rule) {
    Mixture mixture = of_two();
    auto pairs = parameters_of_pairs(mixture);
    ASSERT_EQ(pairs.size(), 4);
    EXPECT_EQ(pairs[0].epsilon, 1);
    EXPECT_EQ(pairs[3].sigma, 0.88);
    EXPECT_NEAR(pairs[1].epsilon, std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(pairs[1].sigma, 0.94, 1e-15);
    mixture.rule = MixingRule::geometric;
    pairs = parameters_of_pairs(mixture);
    EXPECT_NEAR(pairs[2].epsilon, std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(pairs[2].sigma, std::sqrt(0.88), 1e-15);
    EXPECT_EQ(pairs[3].epsilon, 0.5);
}

TEST(Mixture, takes_what_is_given_for_a_pair) {
    Mixture mixture = of_two();
    mixture.pairs = {{"B", "A", 1.5, 0.8}};
    mixture.cutoff_in_sigma = true;
    const auto pairs = parameters_of_pairs(mixture);
    for (const std::size_t k : {1, 2}) {
        EXPECT_EQ(pairs[k].epsilon, 1.5);
        EXPECT_EQ(pairs[k].sigma, 0.8);
        EXPECT_EQ(pairs[k].cutoff, 2.0);
    }
    EXPECT_EQ(pairs[0].cutoff, 2.5);
    mixture.pairs.push_back({"A", "B", 1.5, 0.8});
    EXPECT_EQ(refused(mixture), "");
}

TEST(Mixture, says_what_is_allowed) {
    Mixture mixture;
    EXPECT_EQ(refused(mixture), "kinds has 0 kinds: allowed are 1 to 64");
    mixture.kinds.resize(65);
    EXPECT_EQ(refused(mixture), "kinds has 65 kinds: allowed are 1 to 64");
    mixture = of_two();
    mixture.kinds[1].epsilon = -0.5;
    EXPECT_EQ(refused(mixture), "epsilon of kind B is -0.5: allowed is 0 or more");
    mixture.kinds[1] = {"B", 1, 0};
    EXPECT_EQ(refused(mixture), "sigma of kind B is 0: allowed is above 0");
    mixture.kinds[1] = {"A", 1, 1};
    EXPECT_EQ(refused(mixture), "kinds has A twice: allowed are different names");
    mixture = of_two();
    mixture.cutoff = 0;
    EXPECT_EQ(refused(mixture), "cutoff is 0: allowed is above 0");
    mixture = of_two();
    mixture.pairs = {{"A", "C", 1, 1}};
    EXPECT_EQ(refused(mixture), "pairs has the kind C: allowed are A, B");
    mixture.pairs = {{"A", "B", 1, -1}};
    EXPECT_EQ(refused(mixture), "sigma of A and B is -1: allowed is above 0");
    mixture.pairs = {{"A", "B", 1.5, 0.8}, {"B", "A", 1.4, 0.8}};
    EXPECT_EQ(refused(mixture),
              "pairs has B and A twice, with different parameters: allowed are the same for both orders of the kinds");
}

}  // namespace trellis::mixture_test
