// Functions that a compiler at run time might have made, written by hand, in the tables of forces.
#include "trellis/forces/run_time/run_time_force.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"

namespace trellis::run_time_force_test {

using namespace fields;

// Gravity: parameters softening^2 and G, results acceleration and potential; of short range also the count of pairs and
// the nearest distance squared.
struct Pull {
    double x, y, z, potential, r2;
};

const double* parameters_of(const void* context) { return static_cast<const double*>(context); }

Pull pull(const void* context, const double (&d)[3], double mass) {
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], inverse = 1 / std::sqrt(r2 + parameters_of(context)[0]);
    const double scale = mass * inverse * inverse * inverse;
    return {scale * d[0], scale * d[1], scale * d[2], -mass * inverse, r2};
}

template <class R>
void add_some(const void* context, const R* target, std::size_t target_stride, std::size_t targets, const R* source,
              std::size_t source_stride, std::size_t sources, R* sums, std::ptrdiff_t first) {
    const std::size_t lanes = run_time_machine().vector_bytes / sizeof(R);
    for (std::size_t i = 0; i < targets; ++i)
        for (std::size_t j = 0; j < sources; ++j) {
            if (first + static_cast<std::ptrdiff_t>(j) == static_cast<std::ptrdiff_t>(i)) continue;
            double d[3];
            for (std::size_t c = 0; c < 3; ++c)
                d[c] = static_cast<double>(source[c * source_stride + j] - target[c * target_stride + i]);
            const Pull more = pull(context, d, static_cast<double>(source[3 * source_stride + j]));
            const double values[] = {more.x, more.y, more.z, more.potential};
            for (std::size_t c = 0; c < 4; ++c) sums[(i * 4 + c) * lanes + j % lanes] += static_cast<R>(values[c]);
        }
}

template <class R>
void add_pairs(const void* context, const R* target, std::size_t target_stride, std::size_t targets, const R* source,
               std::size_t source_stride, std::size_t sources, R* sums) {
    add_some(context, target, target_stride, targets, source, source_stride, sources, sums, PTRDIFF_MIN / 2);
}

template <class R>
void add_own(const void* context, const R* target, std::size_t target_stride, std::size_t targets, const R* source,
             std::size_t source_stride, std::size_t sources, R* sums, std::size_t first) {
    add_some(context, target, target_stride, targets, source, source_stride, sources, sums,
             static_cast<std::ptrdiff_t>(first));
}

double one_pair(const void* context, const double* target, const double* source, double* outcome) {
    const Pull of_pair =
        pull(context, {source[0] - target[0], source[1] - target[1], source[2] - target[2]}, source[3]);
    const double values[] = {of_pair.x, of_pair.y, of_pair.z, of_pair.potential};
    std::ranges::copy(values, outcome);
    return 0;
}

void times_g(const void* context, const double*, double* outcome) {
    for (std::size_t c = 0; c < 4; ++c) outcome[c] *= parameters_of(context)[1];
}

// Pairs nearer than parameters[0] are counted, and the squared distance of the nearest is kept.
template <class R>
void count_cluster(const void* context, const R* target, const R* source, const R*, const std::uint32_t* list,
                   std::size_t length, std::uint32_t first, std::uint32_t own, std::uint32_t end, std::uint32_t,
                   double* outcome) {
    const double reach2 = parameters_of(context)[0] * parameters_of(context)[0];
    for (std::uint32_t i = 0; i < 4; ++i) {
        outcome[i] = 0;
        outcome[4 + i] = INFINITY;
        const auto take = [&](std::uint32_t j) {
            double r2 = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                const auto d = static_cast<double>(source[4 * j + c] - target[4 * c + i]);
                r2 += d * d;
            }
            if (r2 >= reach2) return;
            outcome[i] += 1;
            outcome[4 + i] = std::min(outcome[4 + i], r2);
        };
        for (std::size_t k = 0; k < length; ++k) take(list[k]);
        for (std::uint32_t j = own; j < end; ++j)
            if (j != first + i) take(j);
    }
}

double count_pair(const void* context, const double* target, const double* source, double* outcome) {
    outcome[0] = 1;
    outcome[1] = 0;
    for (std::size_t c = 0; c < 3; ++c) outcome[1] += (source[c] - target[c]) * (source[c] - target[c]);
    return parameters_of(context)[0] * parameters_of(context)[0];
}

void as_it_is(const void*, const double*, double*) {}

std::shared_ptr<RunTimePair> gravity_pair(double softening, double G) {
    auto pair = std::make_shared<RunTimePair>();
    pair->name = "gravity";
    pair->fields = {field_info<Position>(), field_info<Mass>()};
    pair->source_components = 4;
    pair->target_components = {0, 1, 2};
    pair->paired = 3;
    pair->outcome = {field_info<Acceleration>(), field_info<Potential>()};
    pair->summed = 4;
    pair->strength = 3;
    pair->parameters = {softening * softening, G};
    pair->single_precision = {add_pairs<float>, add_own<float>};
    pair->double_precision = {add_pairs<double>, add_own<double>};
    pair->pair = one_pair;
    pair->finish = times_g;
    return pair;
}

struct Nearest : Field<double, "nearest", "length^2", "squared distance of the nearest"> {};
struct Count : Field<double, "count", "", "number of particles within the cutoff"> {};

std::shared_ptr<RunTimePair> count_of_pairs(double cutoff) {
    auto pair = std::make_shared<RunTimePair>();
    pair->name = "count";
    pair->fields = {field_info<Position>()};
    pair->source_components = 3;
    pair->target_components = {0, 1, 2};
    pair->paired = 3;
    pair->outcome = {field_info<Count>(), field_info<Nearest>()};
    pair->summed = 1;
    pair->parameters = {cutoff};
    pair->single_precision.cluster = count_cluster<float>;
    pair->double_precision.cluster = count_cluster<double>;
    pair->pair = count_pair;
    pair->finish = as_it_is;
    return pair;
}

double difference_of_accelerations(const ParticleSet& a, const ParticleSet& b) {
    double squared = 0, all = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const auto d = a[acceleration][row] - b[acceleration][row];
        squared += dot(d, d);
        all += dot(b[acceleration][row], b[acceleration][row]);
    }
    return std::sqrt(squared / all);
}

std::shared_ptr<ParticleSet> with_force(ParticleSet particles, std::unique_ptr<Force> force) {
    auto moved = std::make_shared<ParticleSet>(std::move(particles));
    Simulation sim(moved, 0.01);
    sim.add_force(std::move(force));
    sim.compute_forces();
    return moved;
}

TEST(RunTimeForce, OverATreeIsTheForceOfCompiledGravity) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        const ForceSettings settings{.theta = 0.6, .method = Method::tree, .order = 1, .precision = precision};
        const auto ours = with_force(models::plummer(1500, 3), run_time_tree_force(gravity_pair(0.05, 2), settings));
        const auto theirs = with_force(models::plummer(1500, 3), gravity(0.05, 2, settings));
        EXPECT_LT(difference_of_accelerations(*ours, *theirs), precision == Precision::single_ ? 3e-7 : 1e-14);
    }
}

TEST(RunTimeForce, AgreesWithItsReference) {
    const auto ours = with_force(models::plummer(300, 3), run_time_tree_force(gravity_pair(0.05, 2), {.theta = 1e-6}));
    double values[4];
    run_time_tree_force(gravity_pair(0.05, 2), {})->reference(*ours, *ours, 7, 7, 0, values);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR((*ours)[acceleration][7][axis], values[axis], 1e-5);
}

TEST(RunTimeForce, WithinACutoffCountsEachImageAndKeepsTheNearest) {
    constexpr double cutoff = 0.3;
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        ParticleSet particles = models::uniform_cube(400, 4);
        particles.set_region({{0, 0, 0}, {1, 1, 1}});
        const auto counted = with_force(
            std::move(particles), run_time_short_range_force(count_of_pairs(cutoff), cutoff, {.precision = precision}));
        const auto force = run_time_short_range_force(count_of_pairs(cutoff), cutoff, {});
        for (std::uint32_t row = 0; row < counted->size(); row += 13) {
            double values[2];
            force->reference(*counted, *counted, row, row, 0, values);
            EXPECT_EQ((*counted)[Count()][row], values[0]);
            EXPECT_NEAR((*counted)[Nearest()][row], values[1], 1e-6);
        }
    }
}

TEST(RunTimeForce, RefusesFastMultipolesAndACutoffOfNothing) {
    EXPECT_NE(message_of([] {
                  run_time_tree_force(gravity_pair(0.1, 1), {.method = Method::fmm});
              }).find("no radial derivatives: allowed is tree"),
              std::string::npos);
    EXPECT_NE(message_of([] { run_time_short_range_force(count_of_pairs(0), 0, {}); }).find("cutoff is 0"),
              std::string::npos);
}

}  // namespace trellis::run_time_force_test
