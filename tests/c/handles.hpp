// Handles of the C calls that free themselves, and particles in them.
#pragma once

#include <gtest/gtest.h>
#include <trellis/c/trellis.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::c_tests {

struct Free {
    void operator()(trellis_particles* particles) const { trellis_particles_free(particles); }
    void operator()(trellis_devices* devices) const { trellis_devices_free(devices); }
    void operator()(trellis_force* force) const { trellis_force_free(force); }
    void operator()(trellis_simulation* simulation) const { trellis_simulation_free(simulation); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

// The handle that make(&handle) makes; the test fails if it does not.
template <class T, class Make>
Handle<T> made(Make&& make) {
    T* handle = nullptr;
    EXPECT_EQ(make(&handle), 0) << trellis_error();
    return Handle<T>(handle);
}

// The sentence of a call; empty if it does not fail as InputError does.
inline std::string sentence_of(int code) { return code == TRELLIS_INPUT_ERROR ? trellis_error() : ""; }

inline double* column(const Handle<trellis_particles>& particles, const char* name, int components) {
    double* values = nullptr;
    EXPECT_EQ(trellis_column(particles.get(), name, components, &values), 0) << trellis_error();
    return values;
}

// Positions and masses of a set.
inline Handle<trellis_particles> particles_of(const ParticleSet& set) {
    auto particles = made<trellis_particles>(
        [&](auto* to) { return trellis_particles_new(static_cast<std::int64_t>(set.size()), to); });
    std::copy_n(set.column("position").values(), 3 * set.size(), column(particles, "position", 3));
    std::copy_n(set.column("mass").values(), set.size(), column(particles, "mass", 1));
    return particles;
}

// The values of a column in the order of the ids.
inline std::vector<double> by_id(const Handle<trellis_particles>& particles, const char* name, int components) {
    std::int64_t count = 0;
    const std::uint64_t* ids = nullptr;
    EXPECT_EQ(trellis_particles_count(particles.get(), &count), 0);
    EXPECT_EQ(trellis_ids(particles.get(), &ids), 0);
    const auto width = static_cast<std::size_t>(components);
    const double* values = column(particles, name, components);
    std::vector<double> ordered(static_cast<std::size_t>(count) * width);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        std::copy_n(values + k * width, width, ordered.begin() + static_cast<std::ptrdiff_t>(ids[k] * width));
    return ordered;
}

// The root mean square of differences over that of b.
inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double squared = 0, all = 0;
    for (std::size_t k = 0; k < b.size(); ++k) {
        squared += (a[k] - b[k]) * (a[k] - b[k]);
        all += b[k] * b[k];
    }
    return std::sqrt(squared / all);
}

}  // namespace trellis::c_tests
