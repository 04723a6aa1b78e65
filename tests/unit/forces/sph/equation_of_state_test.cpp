#include "trellis/forces/sph/equation_of_state.hpp"

#include <gtest/gtest.h>

namespace trellis::equation_of_state_test {

using namespace fields;

TEST(IdealGas, sound_travels_as_pressure_answers_to_density_at_constant_entropy) {
    for (const double gamma : {1.1, 1.4, 5.0 / 3, 2.0}) {
        const IdealGas gas{gamma};
        const double rho = 0.7, u = 1.3, step = 1e-6;
        const auto pressure_at = [&](double density) {  // du = P / rho^2 drho: u grows as rho^(gamma - 1)
            return gas.pressure(density, u * std::pow(density / rho, gamma - 1));
        };
        const double c2 = (pressure_at(rho + step) - pressure_at(rho - step)) / (2 * step);
        EXPECT_NEAR(gas.sound_speed(u) * gas.sound_speed(u), c2, 1e-8);
    }
}

TEST(IdealGas, has_two_thirds_of_its_energy_density_as_pressure_if_monatomic) {
    EXPECT_DOUBLE_EQ(IdealGas().pressure(3, 5), 10);
}

}  // namespace trellis::equation_of_state_test
