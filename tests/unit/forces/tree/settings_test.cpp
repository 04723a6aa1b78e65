#include "trellis/forces/tree/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"

namespace trellis::settings_test {

std::string refusal(const ForceSettings& settings, bool expandable = true, bool on_device = false) {
    return message_of([&] { choose(settings, expandable, on_device); });
}

TEST(Settings, out_of_range_are_refused_in_a_sentence) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refusal({.accuracy = 0}), "accuracy is 0: allowed is 1e-15 or more and below 1");
    EXPECT_EQ(refusal({.accuracy = 1e-300}), "accuracy is 1e-300: allowed is 1e-15 or more and below 1");
    EXPECT_EQ(refusal({.accuracy = nan}), "accuracy is nan: allowed is 1e-15 or more and below 1");
    EXPECT_EQ(refusal({.theta = -0.5}), "theta is -0.5: allowed with method fmm is above 0 and below 1");
    EXPECT_EQ(refusal({.theta = 1.0}), "theta is 1: allowed with method fmm is above 0 and below 1");
    EXPECT_EQ(refusal({.theta = 2.5, .method = Method::tree}),
              "theta is 2.5: allowed with method tree is above 0 and below 2");
    EXPECT_EQ(refusal({.order = 6}), "order is 6: allowed is 1 to 5");
    EXPECT_EQ(refusal({.method = Method::tree, .order = 3}), "order is 3: allowed is 1 to 2");
    EXPECT_EQ(refusal({.method = Method::fmm, .order = 1}), "order is 1: allowed is 2 to 5");
    EXPECT_EQ(refusal({.group_size = 8, .leaf_size = 9}), "leaf_size is 9: allowed is up to group_size, 8");
}

TEST(Settings, that_an_interaction_cannot_follow_are_refused) {
    EXPECT_EQ(refusal({.method = Method::fmm}, false),
              "method is fmm, but this interaction has no radial derivatives: allowed is tree");
    EXPECT_EQ(refusal({.order = 2}, false), "order is 2, but this interaction has no radial derivatives: allowed is 1");
}

TEST(Settings, left_open_are_chosen_within_their_ranges) {
    for (const bool expandable : {false, true})
        for (const double accuracy : {1e-1, 1e-3, 1e-6}) {
            const ForceChoice choice = choose({.accuracy = accuracy}, expandable, false);
            EXPECT_EQ(choice.opening.receiver, expandable ? Receiver::cell : Receiver::particle);
            EXPECT_GT(choice.opening.theta, 0);
            EXPECT_LT(choice.opening.theta, 1);
            EXPECT_GE(choice.opening.order, expandable ? 2 : 1);
            EXPECT_GE(choice.group_size, choice.leaf_size);
            EXPECT_GT(choice.leaf_size, 0U);
        }
}

TEST(Settings, accuracies_beyond_single_precision_take_double) {
    const auto precision = [](const ForceSettings& settings) { return choose(settings, true, false).precision; };
    EXPECT_EQ(precision({.accuracy = 3e-7}), Precision::automatic);
    EXPECT_EQ(precision({.accuracy = 2e-7}), Precision::double_);
    EXPECT_EQ(precision({.accuracy = 1e-9, .theta = 0.5}), Precision::automatic);  // the accuracy is not in force
    EXPECT_EQ(precision({.accuracy = 3e-7, .precision = Precision::single_}), Precision::single_);
    EXPECT_EQ(refusal({.accuracy = 2e-7, .precision = Precision::single_}),
              "accuracy is 2e-07: allowed with precision single is 3e-07 or more");
}

TEST(Settings, each_is_kept_as_given) {
    const ForceChoice choice = choose({.theta = 0.7,
                                       .method = Method::tree,
                                       .criterion = Criterion::relative,
                                       .order = 2,
                                       .group_size = 300,
                                       .leaf_size = 20},
                                      true, false);
    EXPECT_EQ(choice.opening.receiver, Receiver::particle);
    EXPECT_EQ(choice.opening.theta, 0.7);
    EXPECT_EQ(choice.opening.order, 2);
    EXPECT_EQ(choice.criterion, Criterion::relative);
    EXPECT_EQ(choice.group_size, 300U);
    EXPECT_EQ(choice.leaf_size, 20U);
}

TEST(Settings, a_device_takes_monopoles_by_the_tree_method_unless_asked) {
    EXPECT_EQ(choose({.accuracy = 1e-3}, true, true).opening.receiver, Receiver::particle);
    EXPECT_EQ(choose({.accuracy = 1e-3}, true, true).opening.order, 1);
    EXPECT_EQ(choose({.method = Method::fmm}, true, true).opening.order, 5);
    EXPECT_EQ(choose({.order = 3}, true, true).opening.receiver, Receiver::cell);
    EXPECT_EQ(choose({.method = Method::tree, .order = 2}, true, true).opening.receiver, Receiver::particle);
}

TEST(Settings, first_order_means_the_tree_method) {
    EXPECT_EQ(choose({.order = 1}, true, false).opening.receiver, Receiver::particle);
    EXPECT_EQ(choose({.order = 2}, true, false).opening.receiver, Receiver::cell);
}

TEST(Settings, theta_alone_means_the_geometric_criterion) {
    EXPECT_EQ(choose({.theta = 0.5}, true, false).criterion, Criterion::geometric);
    EXPECT_EQ(choose({.theta = 0.5}, true, false).tolerance, any_error);
    EXPECT_EQ(choose({.accuracy = 1e-4}, true, false).criterion, Criterion::relative);
    EXPECT_LT(choose({.accuracy = 1e-4}, true, false).tolerance, 1e-2);
}

TEST(Settings, the_geometric_criterion_needs_a_theta) {
    EXPECT_EQ(message_of([] { gravity(0, 1, {.accuracy = 1e-5, .criterion = Criterion::geometric}); }),
              "criterion is geometric without a theta: needed is an opening angle, which has no accuracy known in "
              "advance; criterion relative has the accuracy asked for");
    EXPECT_EQ(message_of([] { gravity(0, 1, {.theta = 0.5, .criterion = Criterion::geometric}); }), "");
}

TEST(Settings, one_of_the_sizes_alone_pulls_the_other_along) {
    EXPECT_LE(choose({.group_size = 2}, true, false).leaf_size, 2U);
    EXPECT_GE(choose({.leaf_size = 500}, true, false).group_size, 500U);
}

TEST(GravitySettings, out_of_range_are_refused_in_a_sentence) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message_of([] { gravity(-1); }), "softening is -1: allowed is 0 or more");
    EXPECT_EQ(message_of([=] { gravity(infinity); }), "softening is inf: allowed is 0 or more");
    EXPECT_EQ(message_of([] { gravity(0, 0); }), "G is 0: allowed is above 0");
    EXPECT_EQ(message_of([] { gravity(0, -6.7e-8); }), "G is -6.7e-08: allowed is above 0");
    EXPECT_EQ(message_of([] { gravity(0, 1); }), "");
}

}  // namespace trellis::settings_test
