#include "trellis/particles/particle_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "unit/error_message.hpp"

namespace trellis::particle_set_test {

using namespace fields;

struct Charge : Field<double, "charge", "e", "electric charge"> {};
struct Spin : Field<Vec3<double>, "spin", "hbar", "spin"> {};
struct Kind : Field<std::uint64_t, "kind", "", "species"> {};

TEST(Field, is_declared_once) {
    const FieldInfo info = field_info<Spin>();
    EXPECT_EQ(info.name, "spin");
    EXPECT_EQ(info.unit, "hbar");
    EXPECT_EQ(info.meaning, "spin");
    EXPECT_EQ(info.components, 3U);
    EXPECT_FALSE(info.integer);
    EXPECT_TRUE(field_info<Kind>().integer);
    EXPECT_EQ(field_info<Charge>().components, 1U);
}

TEST(ParticleSet, begins_with_zeros_and_numbered) {
    const ParticleSet particles(1000);
    EXPECT_EQ(particles.size(), 1000U);
    for (std::size_t row = 0; row < 1000; ++row) {
        EXPECT_EQ(particles[position][row], (Vec3<double>{0, 0, 0}));
        EXPECT_EQ(particles[potential][row], 0);
        EXPECT_EQ(particles[id][row], row);
    }
    std::vector<std::string> names;
    for (const auto& column : particles.columns()) names.push_back(column->info().name);
    EXPECT_EQ(names, (std::vector<std::string>{"position", "velocity", "mass", "id", "acceleration", "potential"}));
}

TEST(ParticleSet, may_be_empty) {
    ParticleSet particles(0);
    EXPECT_EQ(particles.size(), 0U);
    EXPECT_TRUE(particles[position].empty());
    particles.permute({});
    particles.check_finite("position");
}

TEST(ParticleSet, refuses_more_than_row_numbers_can_name) {
    EXPECT_EQ(message_of([] { ParticleSet particles(std::size_t{1} << 32); }),
              "a particle set holds at most 4294967294 particles on one process, not 4294967296");
}

TEST(ParticleSet, takes_new_fields) {
    ParticleSet particles(4);
    EXPECT_FALSE(particles.has("charge"));
    const auto charges = particles.add(Charge{});
    EXPECT_TRUE(particles.has("charge"));
    EXPECT_EQ(charges.size(), 4U);
    EXPECT_EQ(charges[3], 0);
    charges[2] = -1.5;
    EXPECT_EQ(particles.column("charge").values()[2], -1.5);
    particles.add(Spin{})[1] = {1, 2, 3};
    EXPECT_EQ(particles.column("spin").values()[5], 3);
}

TEST(ParticleSet, columns_stay_put_when_others_are_added) {
    ParticleSet particles(4);
    const void* before = particles.column("mass").data();
    for (int k = 0; k < 20; ++k) particles.add({"field " + std::to_string(k), "", "", 1, false});
    EXPECT_EQ(particles.column("mass").data(), before);
}

TEST(ParticleSet, names_the_error_in_a_field) {
    ParticleSet particles(4);
    particles.add({"_of_a_force", "", "", 1, false});  // kept for it: not on the list
    EXPECT_EQ(message_of([&] { particles.column("masss"); }),
              "the particles have no field 'masss': they have position, velocity, mass, id, acceleration, potential");
    EXPECT_EQ(message_of([&] { particles.add(mass); }), "the particles have a field 'mass' already");
    EXPECT_EQ(message_of([&] { particles.add({"pair", "", "", 2, false}); }),
              "field 'pair' has 2 components: allowed are 1 and 3");
    EXPECT_FALSE(particles.has("pair"));
}

TEST(ParticleSet, permute_moves_whole_rows) {
    constexpr std::size_t size = 5000;
    ParticleSet particles(size);
    particles.add(Charge{});
    for (std::size_t row = 0; row < size; ++row) {
        const auto value = static_cast<double>(row);
        particles[position][row] = {value, 2 * value, 3 * value};
        particles[Charge{}][row] = -value;
        particles[id][row] = row + (std::uint64_t{1} << 60);
    }
    std::vector<std::uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    particles.permute(order);
    for (std::size_t row = 0; row < size; ++row) {
        const auto value = static_cast<double>(order[row]);
        EXPECT_EQ(particles[position][row], (Vec3<double>{value, 2 * value, 3 * value}));
        EXPECT_EQ(particles[Charge{}][row], -value);
        EXPECT_EQ(particles[id][row], order[row] + (std::uint64_t{1} << 60));
    }
}

TEST(ParticleSet, replace_rows_keeps_the_given_rows_and_adds_zeros) {
    constexpr std::uint32_t size = 5000, kept_size = 3000;
    ParticleSet particles(size);
    particles.add(Spin{});
    for (std::size_t row = 0; row < size; ++row) {
        particles[mass][row] = 0.5 * static_cast<double>(row);
        particles[Spin{}][row] = {1, static_cast<double>(row), 2};
    }
    std::vector<std::uint32_t> kept(kept_size);
    for (std::uint32_t k = 0; k < kept_size; ++k) kept[k] = (k * 7 + 3) % size;
    particles.replace_rows(kept, 4000);
    ASSERT_EQ(particles.size(), 7000U);
    EXPECT_EQ(particles.arrangement(), 1U);
    for (const auto& column : particles.columns()) EXPECT_EQ(column->size(), 7000U);
    for (std::size_t row = 0; row < 7000; ++row) {
        const bool is_kept = row < kept_size;
        const double was = is_kept ? kept[row] : 0;
        EXPECT_EQ(particles[id][row], is_kept ? kept[row] : 0U);
        EXPECT_EQ(particles[mass][row], 0.5 * was);
        EXPECT_EQ(particles[Spin{}][row], (Vec3<double>{is_kept ? 1.0 : 0.0, was, is_kept ? 2.0 : 0.0}));
    }
    particles.replace_rows({}, 0);
    EXPECT_EQ(particles.size(), 0U);
    particles.replace_rows({}, 2);
    EXPECT_EQ(particles[velocity].size(), 2U);
}

TEST(ParticleSet, added_rows_are_zero_whatever_the_memory_held) {
    ParticleSet particles(5);
    for (int k = 0; k < 50; ++k) {
        for (const auto& column : particles.columns())
            std::fill_n(column->values(), 5 * column->info().components, 1.5);
        particles.replace_rows({}, 5);
        for (const auto& column : particles.columns())
            for (std::size_t v = 0; v < 5 * column->info().components; ++v) ASSERT_EQ(column->values()[v], 0);
    }
}

TEST(ParticleSet, replaced_rows_outlive_the_set_while_their_memory_is_held) {
    std::shared_ptr<std::byte> memory;
    {
        ParticleSet particles(3);
        particles[mass][2] = 7;
        memory = particles.column("mass").memory();
        particles.replace_rows(std::vector<std::uint32_t>{2}, 0);
        EXPECT_EQ(particles[mass][0], 7);
        particles[mass][0] = 8;
    }
    EXPECT_EQ(reinterpret_cast<const double*>(memory.get())[2], 7);
    EXPECT_EQ(memory.use_count(), 1);
}

TEST(ParticleSet, replace_rows_changes_nothing_if_it_throws) {
    ParticleSet particles(3);
    EXPECT_EQ(message_of([&] { particles.replace_rows(std::vector<std::uint32_t>{0, 3, 4}, 1); }),
              "row 3 cannot be kept: the particles have 3 rows, numbered from 0");
    for (const std::size_t added : {std::size_t{4294967294}, std::numeric_limits<std::size_t>::max()})
        EXPECT_NE(message_of([&] {
                      particles.replace_rows(std::vector<std::uint32_t>{0}, added);
                  }).find("at most 4294967294"),
                  std::string::npos);
    EXPECT_EQ(particles.size(), 3U);
    EXPECT_EQ(particles.arrangement(), 0U);
    EXPECT_EQ(particles[id][2], 2U);
}

TEST(ParticleSet, is_in_open_space_unless_a_region_is_set) {
    ParticleSet particles(2);
    EXPECT_EQ(particles.region(), Region{});
    const Region box{{0, -Region::infinity, 0}, {1, Region::infinity, 2}};
    particles.set_region(box);
    EXPECT_EQ(
        message_of([&] { particles.set_region({{0, 0, 0}, {1, 1, 0}}); }),
        "along z the region goes from 0 to 0: allowed are two infinite faces, or two finite ones, the lower first");
    EXPECT_EQ(particles.region(), box);
    particles.replace_rows(std::vector<std::uint32_t>{1}, 3);
    EXPECT_EQ(particles.region(), box);
}

TEST(ParticleSet, wraps_positions_into_its_region) {
    ParticleSet particles(3);
    particles[position][0] = {1.25, 1.25, -0.5};
    particles[position][1] = {0.1, 0.2, 0.3};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    particles[position][2] = {nan, 0, 0};
    particles.wrap_positions();
    EXPECT_EQ(particles[position][0], (Vec3<double>{1.25, 1.25, -0.5}));
    particles.set_region({{0, -Region::infinity, 0}, {1, Region::infinity, 2}});
    EXPECT_EQ(message_of([&] { particles.wrap_positions(); }),
              "column 'position' is not a number at index 2: only finite values are allowed");
    particles[position][2] = {0, 0, 0};
    particles.wrap_positions();
    EXPECT_EQ(particles[position][0], (Vec3<double>{0.25, 1.25, 1.5}));
    EXPECT_EQ(particles[position][1], (Vec3<double>{0.1, 0.2, 0.3}));
}

TEST(ParticleSet, check_finite_names_the_first_bad_value) {
    constexpr std::size_t size = 40'000;
    ParticleSet particles(size);
    particles.check_finite("velocity");
    particles[velocity][39'999].z = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(message_of([&] { particles.check_finite("velocity"); }),
              "column 'velocity' is not a number at index 39999: only finite values are allowed");
    particles[velocity][20'000].y = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(message_of([&] { particles.check_finite("velocity"); }),
              "column 'velocity' is infinite at index 20000: only finite values are allowed");
    particles.check_finite("position");
}

}  // namespace trellis::particle_set_test
