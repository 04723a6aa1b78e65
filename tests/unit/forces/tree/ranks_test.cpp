// Forces on several ranks.
#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/rank_checks.hpp"

namespace trellis::ranks_test {

constexpr LetScheme all_schemes[] = {LetScheme::all_to_all, LetScheme::all_gather, LetScheme::domain_tree};

class SharedForce : public testing::TestWithParam<std::tuple<int, LetScheme>> {
  protected:
    static LetScheme scheme() { return std::get<1>(GetParam()); }
    static void on_ranks(const std::function<void(Comm&)>& body) { run_ranks(std::get<0>(GetParam()), body); }
};

TEST_P(SharedForce, lets_all_mass_act_once) {
    for (const models::Model& model : models::all_models)
        for (const char* device : {"host", "cpu"})
            on_ranks([&](Comm& comm) { check_all_mass_acts_once(comm, model, scheme(), device); });
}

TEST_P(SharedForce, lets_all_mass_act_once_in_few_bytes) {
    for (const models::Model& model : models::all_models)
        on_ranks([&](Comm& comm) { check_all_mass_acts_once(comm, model, scheme(), "host", true); });
}

TEST_P(SharedForce, is_that_of_direct_summation) {
    for (const RankCase& of : rank_cases())
        for (const models::Model& model : {models::all_models[1], models::all_models[2]})
            on_ranks([&](Comm& comm) { check_forces_are_those_of_direct_summation(comm, of, scheme(), model); });
}

TEST_P(SharedForce, follows_when_lists_are_reused) {
    for (const RankCase& of : rank_cases())
        for (const bool trust : {false, true})
            on_ranks([&](Comm& comm) { check_reuse_follows(comm, of, scheme(), trust); });
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, LetScheme>>& of) {
    const auto [ranks, scheme] = of.param;
    const char* names[] = {"all_to_all", "all_gather", "domain_tree"};
    return names[static_cast<int>(scheme)] + std::string("_") + std::to_string(ranks);
}

INSTANTIATE_TEST_SUITE_P(All, SharedForce,
                         testing::Combine(testing::Values(1, 2, 4, 5, 7, 8, 12), testing::ValuesIn(all_schemes)),
                         name_of);
// The thread sanitizer runs only these (see CMakePresets.json): all would take it minutes.
INSTANTIATE_TEST_SUITE_P(Ranks, SharedForce, testing::Combine(testing::Values(3), testing::ValuesIn(all_schemes)),
                         name_of);

}  // namespace trellis::ranks_test
