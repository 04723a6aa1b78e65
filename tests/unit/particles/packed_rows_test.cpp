#include "trellis/particles/packed_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/base/error.hpp"
#include "unit/particles/numbered_particles.hpp"

namespace trellis::packed_rows_test {

using checks::numbered_particles;

template <class Body>
std::string run_error_of(Body&& body) {
    try {
        body();
    } catch (const RunError& error) {
        return error.what();
    }
    return "";
}

TEST(PackedRows, carry_every_column_bit_for_bit) {
    const ParticleSet from = numbered_particles({10, 11, 12, 13, 14});
    const auto packed = RowFormat(from).packed(from, std::vector<std::uint32_t>{3, 0, 4});
    ParticleSet to = numbered_particles({20, 21, 22, 23, 24, 25});
    EXPECT_EQ(RowFormat(to).row_count(packed), 3U);
    RowFormat(to).unpack(packed, to, 2);
    checks::expect_numbered(to, {20, 21, 13, 10, 14, 25});
}

TEST(PackedRows, may_be_empty) {
    ParticleSet particles = numbered_particles({1, 2});
    const auto packed = RowFormat(particles).packed(particles, {});
    EXPECT_EQ(RowFormat(particles).row_count(packed), 0U);
    RowFormat(particles).unpack(packed, particles, 2);
    checks::expect_numbered(particles, {1, 2});
}

TEST(PackedRows, are_the_same_for_any_number_of_rows_and_threads) {
    std::vector<std::uint64_t> ids(20'000);
    std::vector<std::uint32_t> rows(ids.size());
    for (std::uint32_t k = 0; k < ids.size(); ++k) {
        ids[k] = 3 * k;
        rows[k] = static_cast<std::uint32_t>(ids.size()) - 1 - k;
    }
    ParticleSet particles = numbered_particles(ids);
    RowFormat(particles).unpack(RowFormat(particles).packed(particles, rows), particles, 0);
    std::ranges::reverse(ids);
    checks::expect_numbered(particles, ids);
}

TEST(PackedRows, are_refused_by_particles_with_other_columns) {
    const ParticleSet from(3);
    const auto packed = RowFormat(from).packed(from, std::vector<std::uint32_t>{1});
    ParticleSet to(3);
    to.add({"kind", "", "", 1, true});
    EXPECT_EQ(run_error_of([&] { RowFormat(to).unpack(packed, to, 0); }),
              "the packed rows are not of particles with the columns position 3, velocity 3, mass 1, id 1 integer, "
              "acceleration 3, potential 1, kind 1 integer");
}

TEST(PackedRows, know_columns_by_name_type_and_order) {
    const auto hash_with = [](const std::vector<FieldInfo>& fields) {
        ParticleSet particles(0);
        for (const FieldInfo& field : fields) particles.add(field);
        return RowFormat(particles).hash();
    };
    const FieldInfo a{"a", "", "", 1, false}, b{"b", "", "", 1, false};
    EXPECT_EQ(hash_with({a, b}), hash_with({a, b}));
    EXPECT_NE(hash_with({a, b}), hash_with({b, a}));
    EXPECT_NE(hash_with({a}), hash_with({b}));
    EXPECT_NE(hash_with({a}), hash_with({{"a", "", "", 3, false}}));
    EXPECT_NE(hash_with({a}), hash_with({{"a", "", "", 1, true}}));
}

TEST(PackedRows, that_were_cut_are_refused) {
    const ParticleSet particles(3);
    auto packed = RowFormat(particles).packed(particles, std::vector<std::uint32_t>{0, 2});
    packed.resize(packed.size() - 1);
    EXPECT_EQ(run_error_of([&] { RowFormat(particles).row_count(packed); }),
              "the packed rows are 2, but came with 191 bytes instead of 96 for each");
    EXPECT_NE(run_error_of([&] { RowFormat(particles).row_count({}); }), "");
}

}  // namespace trellis::packed_rows_test
