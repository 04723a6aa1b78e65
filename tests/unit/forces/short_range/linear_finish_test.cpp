#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/compile.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::linear_finish_test {

using namespace fields;

struct Crowd : Field<double, "crowd", "", "what finish makes of a sum"> {};
inline constexpr Crowd crowd;

// finish: how the number of neighbours, and the acceleration away from them, become results.
template <class Finish>
struct Crowding {
    using Target = Fields<Position, Mass>;
    using Source = Fields<Position>;
    using Result = Fields<Acceleration, Crowd>;
    using Search = Cutoff;
    double cutoff = 0.5;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += 1e-3f * (i[position] - j[position]);
        sum[crowd] += 1.0f;
    }
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const { Finish{}(i, sum); }
};

struct OverMass {
    void operator()(const auto& i, auto& sum) const {
        sum[acceleration] /= i[mass];
        sum[crowd] = dot(sum[acceleration], i[position]) - 3 * sum[crowd] * std::sqrt(i[mass]);
    }
};
struct Root {
    void operator()(const auto&, auto& sum) const { sum[crowd] = std::sqrt(sum[crowd]); }
};
struct OwnTerm {
    void operator()(const auto& i, auto& sum) const { sum[acceleration] -= 1e-3 * i[position]; }
};
struct Limited {
    void operator()(const auto&, auto& sum) const { sum[crowd] = std::min(sum[crowd], 1e4); }
};
struct Product {
    void operator()(const auto&, auto& sum) const { sum[acceleration] *= sum[crowd]; }
};

template <class Finish>
bool sums_over_pairs() {
    return short_range_force(Crowding<Finish>{})->sums_over_pairs();
}

TEST(LinearFinish, is_that_of_a_sum_over_pairs) {
    EXPECT_TRUE(sums_over_pairs<OverMass>());
    EXPECT_TRUE(lennard_jones(1, 1, 2.5)->sums_over_pairs());
    EXPECT_FALSE(sums_over_pairs<Root>());
    EXPECT_FALSE(sums_over_pairs<OwnTerm>());
    EXPECT_FALSE(sums_over_pairs<Limited>());
    EXPECT_FALSE(sums_over_pairs<Product>());
}

// Levels of short steps would finish parts of the sums.
TEST(LinearFinish, is_needed_by_steps_of_order_4) {
    const auto run = [](std::shared_ptr<Force> force) {
        Simulation sim(moving_plummer(50), 1.0 / 16);
        sim.set_individual_steps(0.025, 4);
        sim.add_force(gravity(0.01, 1));
        sim.add_force(std::move(force));
        sim.step();
    };
    EXPECT_NO_THROW(run(short_range_force(Crowding<OverMass>{})));
    EXPECT_THROW(run(short_range_force(Crowding<Root>{})), InputError);
}

}  // namespace trellis::linear_finish_test
