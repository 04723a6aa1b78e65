// A potential of long range in a periodic cube, against sums over all images.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/compile.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/forces/tree/yukawa.hpp"
#include "unit/particle_models.hpp"

namespace trellis::potential_images_test {

using namespace fields;
using namespace yukawa;

constexpr double side = 2, far = Region::infinity;
const Region cube{{0, 0, 0}, {side, side, side}}, sheet{{0, 0, -far}, {side, side, far}},
    wire{{-far, 0, -far}, {far, side, far}};

const ExpandedYukawa interaction{{.kappa = 2}};

ParticleSet plasma(std::size_t count, const Region& region) {
    ParticleSet particles = models::uniform_cube(count, 1);
    models::Random random(5);
    for (auto& place : particles[position]) place = side * place;
    for (double& m : particles[mass]) m = random.uniform(1, 2);
    for (double& q : particles.add(charge)) q = random.uniform(-0.5, 1);
    particles.set_region(region);
    particles.wrap_positions();
    return particles;
}

// The sum over all images within some periods, pair by pair.
std::array<double, 4> sum_over_images(const ParticleSet& particles, std::size_t row, int periods) {
    const Region& region = particles.region();
    std::array<double, 4> all{};
    const auto last = [&](std::size_t axis) { return region.periodic(axis) ? periods : 0; };
    for (int x = -last(0); x <= last(0); ++x)
        for (int y = -last(1); y <= last(1); ++y)
            for (int z = -last(2); z <= last(2); ++z)
                for (std::size_t j = 0; j < particles.size(); ++j) {
                    if (x == 0 && y == 0 && z == 0 && j == row) continue;
                    const Vec3<double> d = particles[position][j] - particles[position][row] +
                                           side * Vec3<double>{double(x), double(y), double(z)};
                    const double r2 = dot(d, d) + interaction.epsilon2, r = std::sqrt(r2);
                    const double phi = particles[charge][row] / particles[mass][row] * particles[charge][j] *
                                       std::exp(-interaction.kappa * r) / r;
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        all[axis] -= phi * (interaction.kappa * r + 1) / r2 * d[axis];
                    all[3] += phi;
                }
    return all;
}

// Computes the force twice, since it uses the last accelerations; RMS error over RMS force.
void expect_accuracy(const ParticleSet& all, const ForceSettings& settings, Comm& comm) {
    const Multisection cuts = cut_of(all, comm.size());
    ParticleSet own = share_of(all, cuts, comm.rank());
    own.set_region(all.region());
    const Ranks shared{std::shared_ptr<Comm>(&comm, [](Comm*) {}), domain_tree(cuts.shape())};
    const auto force = tree_force(interaction, settings);
    force->attach(own, 0);
    compute_shared(*force, own, {{}, false, &shared});
    std::vector<double> previous;
    for (const auto& a : own[acceleration]) previous.push_back(std::sqrt(dot(a, a)));
    compute_shared(*force, own, {previous, false, &shared});
    double wrong = 0, size = 0;
    for (std::uint32_t row = 0; row < own.size(); row += 7) {
        double exact[4];
        force->reference(all, own, row, static_cast<std::int64_t>(own[id][row]), 0, exact);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            wrong += std::pow(own[acceleration][row][axis] - exact[axis], 2);
            size += exact[axis] * exact[axis];
        }
    }
    EXPECT_LT(std::sqrt(wrong / size), settings.accuracy) << comm.size();
}

class PotentialImages : public testing::TestWithParam<Region> {};
INSTANTIATE_TEST_SUITE_P(of, PotentialImages, testing::Values(cube, sheet, wire), [](const auto& region) {
    return region.index == 0 ? "a_cube" : region.index == 1 ? "a_sheet" : "a_wire";
});

TEST_P(PotentialImages, have_the_reference_of_all_images) {
    const ParticleSet particles = plasma(40, GetParam());
    const auto force = tree_force(interaction, {});
    force->prepare_reference(particles, 0, *serial_comm());
    for (const std::uint32_t row : {0u, 17u}) {
        const std::array<double, 4> exact = sum_over_images(particles, row, 12);
        double values[4];
        force->reference(particles, particles, row, row, 0, values);
        for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(values[c], exact[c], 1e-7) << c;
    }
}

TEST_P(PotentialImages, act_as_accurately_as_asked_on_any_number_of_ranks) {
    const ParticleSet all = plasma(700, GetParam());
    for (const Method method : {Method::fmm, Method::tree})
        for (const double accuracy : {1e-2, 1e-4})
            for (const int ranks : {1, 3})
                run_ranks(ranks,
                          [&](Comm& comm) { expect_accuracy(all, {.accuracy = accuracy, .method = method}, comm); });
}

TEST(ImagesOfPotentials, are_refused_where_they_have_no_sum) {
    Phases phases;
    ParticleSet particles = plasma(10, {{0, 0, 0}, {side, side, 2 * side}});
    const auto force = tree_force(ExpandedYukawa(), {});
    force->attach(particles, 0);
    EXPECT_EQ(message_of([&] { force->dispatch(particles, {}, phases); }),
              "the particles' periodic box has the sides 2, 2 and 4: allowed under a potential of long range are equal "
              "periods");
    particles.set_region(cube);
    const auto unscreened = tree_force(ExpandedYukawa{{.kappa = 0}}, {});
    EXPECT_EQ(message_of([&] { unscreened->dispatch(particles, {}, phases); }),
              "the potential falls off too slowly for a sum over the images of a box of period 2: allowed are one that "
              "falls off faster than 1/r^3, a cutoff, and for 1/r Gravity and Coulomb");
}

}  // namespace trellis::potential_images_test
