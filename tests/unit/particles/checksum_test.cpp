#include "trellis/particles/checksum.hpp"

#include <gtest/gtest.h>

#include <set>

#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::checksum_test {

using namespace fields;

std::uint64_t of(const ParticleSet& particles) { return checksum(particles.column(Position::name)); }

TEST(Checksum, shows_each_single_change) {
    ParticleSet particles = models::plummer(50, 1);
    for (auto& x : particles[position]) x += Vec3<double>{50, 50, 50};  // none is 0
    std::set<std::uint64_t> seen{of(particles)};
    for (auto& x : particles[position])
        for (double* value : {&x.x, &x.y, &x.z}) {
            const double before = *value;
            for (const double other : {-before, before * (1 + 1e-15), 0.0, before + 1, 2 * before}) {
                *value = other;
                seen.insert(of(particles));
            }
            *value = before;
        }
    EXPECT_EQ(seen.size(), 1U + 50 * 3 * 5);
}

// Signs that differ in pairs cancel in a plain sum, and in a product of low bits.
TEST(Checksum, shows_that_all_signs_or_the_order_of_rows_have_changed) {
    for (const std::size_t size : {8U, 64U, 4096U, 100'000U}) {
        ParticleSet particles(size);
        const auto m = particles[mass];
        for (std::size_t k = 0; k < size; ++k) m[k] = k % 4 == 0 || k % 4 == 3 ? 1 : -1;
        const std::uint64_t before = checksum(particles.column("mass"));
        for (auto& value : m) value = -value;
        EXPECT_NE(checksum(particles.column("mass")), before) << size;
        for (auto& value : m) value = -value;
        EXPECT_EQ(checksum(particles.column("mass")), before);
        std::swap(m[0], m[size - 3]);
        EXPECT_NE(checksum(particles.column("mass")), before) << size;
    }
}

TEST(Checksum, is_the_same_for_any_number_of_threads) {
    const ParticleSet particles = models::plummer(50'000, 1);
    std::uint64_t alone = 0;
    with_threads(1, [&] { alone = of(particles); });
    with_threads(3, [&] { EXPECT_EQ(of(particles), alone); });
}

TEST(Checksum, of_no_rows_and_of_zeros_depends_on_their_number) {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size < 100; ++size) seen.insert(of(ParticleSet(size)));
    EXPECT_EQ(seen.size(), 100U);
}

}  // namespace trellis::checksum_test
