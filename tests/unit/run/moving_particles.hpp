// Particles that move, copies of them, and comparisons of two sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

inline std::shared_ptr<ParticleSet> moving_plummer(std::size_t size) {
    auto particles = std::make_shared<ParticleSet>(models::plummer(size, 1));
    models::Random random(2);
    for (auto& v : (*particles)[velocity]) v = 0.3 * random.direction();
    return particles;
}

inline std::shared_ptr<ParticleSet> copy_of(const ParticleSet& original) {
    auto copy = std::make_shared<ParticleSet>(original.size());
    copy->set_region(original.region());
    for (const auto& column : original.columns()) {
        if (!copy->has(column->info().name)) copy->add(column->info());
        std::memcpy(copy->column(column->info().name).values(), column->data(),
                    original.size() * column->info().components * sizeof(double));
    }
    return copy;
}

// The largest distance between rows of the same number.
inline double farthest_apart(const ParticleSet& a, const ParticleSet& b) {
    double farthest = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const Vec3<double> apart = a[position][row] - b[position][row];
        farthest = std::max(farthest, std::sqrt(dot(apart, apart)));
    }
    return farthest;
}

inline void expect_same_bits(const ParticleSet& a, const ParticleSet& b) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& column : a.columns()) {
        const std::string& name = column->info().name;
        EXPECT_EQ(
            std::memcmp(column->data(), b.column(name).data(), a.size() * column->info().components * sizeof(double)),
            0)
            << name;
    }
}

}  // namespace trellis
