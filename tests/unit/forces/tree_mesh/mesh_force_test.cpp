#include "trellis/forces/tree_mesh/mesh_force.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/base/error.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/forces/tree/compared_force.hpp"

namespace trellis::mesh_force_test {

using namespace fields;

constexpr int along = 16;
const MeshForceSettings settings{
    .coupling = -2, .split = {7 * box_side / along}, .mesh = {.cells = {along, along, along}, .order = 4}};

// The reference is Ewald's sum less the short-range part of each image.
TEST(MeshForce, agrees_with_its_reference) {
    MeshForce force(settings);
    ParticleSet particles = in_box("random", along);
    compute(force, particles);
    for (const std::uint32_t row : {0U, 77U, 2000U}) {
        std::array<double, 4> exact{};
        force.reference(particles, particles, row, row, 0, exact.data());
        const Vec3<double> a = particles[acceleration][row];
        const double size = norm(Vec3<double>{exact[0], exact[1], exact[2]});
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a[c], exact[c], 1e-3 * size);
        EXPECT_NEAR(particles[potential][row], exact[3], 2e-3 * std::abs(exact[3]));
    }
}

TEST(MeshForce, refuses_a_split_without_a_diameter) { EXPECT_THROW(MeshForce({.split = {0}}), InputError); }

}  // namespace trellis::mesh_force_test
