// Particles whose every value follows from their id, bit for bit, so that any rank can check them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis::checks {

using namespace fields;

struct Spin : Field<Vec3<double>, "spin", "hbar", "spin"> {};
struct Kind : Field<std::uint64_t, "kind", "", "species"> {};
struct Kept : Field<double, "_kept", "", "what a force keeps for itself"> {};

// The bits of a value: any 64 bits, NaNs included.
inline std::uint64_t value_bits(std::uint64_t of, std::uint64_t column, std::uint64_t component) {
    std::uint64_t bits = of * 0x9e3779b97f4a7c15 + column * 0xbf58476d1ce4e5b9 + component + 1;
    bits = (bits ^ (bits >> 31)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 29);
}

inline ParticleSet numbered_particles(const std::vector<std::uint64_t>& ids) {
    ParticleSet particles(ids.size());
    particles.add(Spin{});
    particles.add(Kind{});
    particles.add(Kept{});
    for (std::size_t c = 0; c < particles.columns().size(); ++c) {
        Column& column = *particles.columns()[c];
        const std::size_t width = column.info().components;
        for (std::size_t k = 0; k < ids.size() * width; ++k)
            column.integers()[k] = value_bits(ids[k / width], c, k % width);
    }
    std::ranges::copy(ids, particles[id].begin());
    return particles;
}

// EXPECTs particles with these ids, in this order, and no others.
inline void expect_numbered(const ParticleSet& particles, const std::vector<std::uint64_t>& ids) {
    ASSERT_EQ(std::vector(particles[id].begin(), particles[id].end()), ids);
    for (std::size_t c = 0; c < particles.columns().size(); ++c) {
        const Column& column = *particles.columns()[c];
        const std::size_t width = column.info().components;
        ASSERT_EQ(column.size(), ids.size());
        for (std::size_t k = 0; column.info().name != Id::name && k < ids.size() * width; ++k)
            ASSERT_EQ(column.integers()[k], value_bits(ids[k / width], c, k % width))
                << column.info().name << " of row " << k / width;
    }
}

}  // namespace trellis::checks
