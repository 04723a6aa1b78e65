// States of replicas: the random numbers by which they are exchanged.
#include "trellis/ensembles/exchange/replica_states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "trellis/base/philox.hpp"

namespace trellis::replica_states_test {

// Each try of one pair is accepted with probability 1/2, so it shows on which side of 1/2 its number is.
TEST(ReplicaStates, share_no_random_numbers_with_a_thermostat_of_the_same_seed) {
    constexpr std::uint32_t tries = 400, seed = 3;
    const double refused_half = std::log(2.0);  // exp(-refused_half) = 1/2
    ReplicaStates states({1.0, 0.5}, {0, 0}, {0, 0}, seed);
    std::uint32_t accepted = 0, equal = 0;
    for (std::uint32_t k = 0; k < tries; ++k) {
        // (1/T_0 - 1/T_1) (U_0 - U_1) = -ln 2, whichever system is in state 0
        std::vector<double> potential(2, 0.0);
        potential[static_cast<std::size_t>(states.state_of()[0] == 0 ? 0 : 1)] = refused_half;
        const std::uint64_t before = states.accepted()[0];
        states.exchange_neighbours(2 * k, {potential});
        const bool now = states.accepted()[0] > before;
        accepted += now ? 1 : 0;
        // The first word that particle 2 k has in the first call of a thermostat.
        const bool of_thermostat = philox({2 * k, 0, 0, domain_of_thermostats}, {seed, 0})[0] < std::uint32_t{1} << 31;
        equal += now == of_thermostat ? 1 : 0;
    }
    EXPECT_NEAR(accepted, tries / 2, 50);  // five standard deviations
    EXPECT_NEAR(equal, tries / 2, 50);
}

}  // namespace trellis::replica_states_test
