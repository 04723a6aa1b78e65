#include "trellis/integrate/thermostats/andersen.hpp"

#include <cmath>

#include "unit/error_message.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::andersen_test {

using namespace fields;

Andersen thermostat() { return {0.7, 0.5, 11}; }

// The share of a million particles of mass 4 at rest that has collided, and its mean square velocity, within 3.7
// standard deviations.
TEST(Andersen, collisions_come_at_their_rate_and_give_maxwells_velocities) {
    constexpr std::size_t size = 1'000'000;
    ParticleSet particles(size);
    for (double& m : particles[mass]) m = 4;
    thermostat().act(particles, 0.1, 3, *serial_comm());
    double hit = 0, m_v2 = 0, cross_terms = 0;
    for (const auto& v : particles[velocity]) {
        if (dot(v, v) == 0) continue;
        ++hit;
        m_v2 += 4 * dot(v, v);
        cross_terms += 4 * (v.x * v.y + v.y * v.z + v.z * v.x);
    }
    EXPECT_NEAR(hit / size, 1 - std::exp(-0.2), 0.0015);
    EXPECT_NEAR(m_v2 / hit, 3 * 0.7, 0.015);
    EXPECT_NEAR(cross_terms / hit, 0, 0.011);
}

TEST(Andersen, what_particles_lose_the_bath_has) { check_what_particles_lose_the_bath_has(thermostat()); }
TEST(Andersen, has_the_same_bits_for_any_ranks_and_threads) { check_same_bits_for_any_ranks_and_threads(thermostat); }
TEST(Andersen, goes_on_from_its_state_bit_for_bit) { check_goes_on_from_its_state(thermostat); }

TEST(Andersen, says_what_is_allowed) { check_what_is_allowed<Andersen>(); }

}  // namespace trellis::andersen_test
