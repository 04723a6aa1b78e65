#include <gtest/gtest.h>

#include "unit/forces/rank_checks.hpp"

namespace trellis {
namespace {

constexpr EssentialScheme all_schemes[] = {EssentialScheme::all_to_all, EssentialScheme::all_gather,
                                           EssentialScheme::domain_tree};

TEST(MpiForceOnRanks, lets_all_mass_act_once) {
    for (const EssentialScheme scheme : all_schemes)
        for (const std::size_t model : {2, 3, 5})
            check_all_mass_acts_once(*world(), models::all_models[model], scheme, "host");
    check_all_mass_acts_once(*world(), models::all_models[2], EssentialScheme::domain_tree, "cpu");
}

TEST(MpiForceOnRanks, is_that_of_direct_summation) {
    for (const EssentialScheme scheme : all_schemes)
        check_forces_are_those_of_direct_summation(*world(), rank_cases()[0], scheme, models::all_models[2]);
    for (const std::size_t of : {2, 3, 5})
        check_forces_are_those_of_direct_summation(*world(), rank_cases()[of], EssentialScheme::domain_tree,
                                                   models::all_models[1]);
}

TEST(MpiForceOnRanks, follows_when_lists_are_reused) {
    for (const EssentialScheme scheme : all_schemes)
        for (const bool trust : {false, true}) check_reuse_follows(*world(), rank_cases()[0], scheme, trust);
    check_reuse_follows(*world(), rank_cases()[5], EssentialScheme::domain_tree, false);
}

}  // namespace
}  // namespace trellis
