#include <gtest/gtest.h>

#include "unit/forces/tree/rank_checks.hpp"

namespace trellis {
namespace {

constexpr LetScheme all_schemes[] = {LetScheme::all_to_all, LetScheme::all_gather, LetScheme::domain_tree};

TEST(MpiForceOnRanks, lets_all_mass_act_once) {
    for (const LetScheme scheme : all_schemes)
        for (const std::size_t model : {2, 3, 5})
            check_all_mass_acts_once(*world(), models::all_models[model], scheme, "host");
    check_all_mass_acts_once(*world(), models::all_models[2], LetScheme::domain_tree, "cpu");
}

TEST(MpiForceOnRanks, agrees_with_direct_summation) {
    for (const LetScheme scheme : all_schemes)
        check_forces_are_those_of_direct_summation(*world(), rank_cases()[0], scheme, models::all_models[2]);
    for (const std::size_t of : {2, 3, 5})
        check_forces_are_those_of_direct_summation(*world(), rank_cases()[of], LetScheme::domain_tree,
                                                   models::all_models[1]);
}

TEST(MpiForceOnRanks, follows_when_lists_are_reused) {
    for (const LetScheme scheme : all_schemes)
        for (const bool trust : {false, true}) check_reuse_follows(*world(), rank_cases()[0], scheme, trust);
    check_reuse_follows(*world(), rank_cases()[5], LetScheme::domain_tree, false);
}

}  // namespace
}  // namespace trellis
