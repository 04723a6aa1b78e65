// Particles in arrangements that test a tree: smooth, clustered and degenerate. The same for the same size and seed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <random>
#include <vector>

#include "trellis/particles/box.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis::models {

using namespace fields;

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
    std::uint64_t bits() { return engine_(); }
    Vec3<double> in_cube() { return {uniform(0, 1), uniform(0, 1), uniform(0, 1)}; }
    Vec3<double> direction() {
        const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), ring = std::sqrt(1 - z * z);
        return {ring * std::cos(angle), ring * std::sin(angle), z};
    }

  private:
    std::mt19937_64 engine_;
};

// Particles at place(row), with random masses around 1 / size.
template <class Place>
ParticleSet particles_at(std::size_t size, std::uint64_t seed, Place place) {
    ParticleSet particles(size);
    Random random(seed + 1000);
    for (std::size_t row = 0; row < size; ++row) {
        particles[position][row] = place(row);
        particles[mass][row] = random.uniform(0.5, 1.5) / static_cast<double>(size);
    }
    return particles;
}

inline ParticleSet uniform_cube(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    return particles_at(size, seed, [&](std::size_t) { return random.in_cube(); });
}

inline ParticleSet uniform_sphere(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    return particles_at(size, seed, [&](std::size_t) { return random.direction() * std::cbrt(random.uniform(0, 1)); });
}

// Plummer's sphere of scale radius 1, cut at 99.9 % of its mass.
inline ParticleSet plummer(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    return particles_at(size, seed, [&](std::size_t) {
        return random.direction() / std::sqrt(std::pow(random.uniform(1e-10, 0.999), -2.0 / 3.0) - 1);
    });
}

// `count` clumps of sizes from 0.1 down to 0.1^count, at random in the unit cube.
inline ParticleSet clumps(std::size_t count, std::size_t size, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3<double>> centres(count);
    for (auto& centre : centres) centre = random.in_cube();
    return particles_at(size, seed, [&](std::size_t row) {
        const std::size_t clump = row % centres.size();
        return centres[clump] + std::pow(0.1, 1.0 + static_cast<double>(clump)) * random.direction();
    });
}

inline ParticleSet clustered(std::size_t size, std::uint64_t seed) { return clumps(7, size, seed); }

// A heavy clump and a light one in opposite corners: the centre of mass of both lies far from their middle.
inline ParticleSet unequal_clumps(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    const auto is_light = [](std::size_t row) { return row % 8 == 0; };
    ParticleSet particles = particles_at(size, seed, [&](std::size_t row) {
        const double corner = is_light(row) ? 1 : 0;
        return Vec3<double>{corner, corner, corner} + 1e-3 * random.in_cube();
    });
    for (std::size_t row = 0; row < size; ++row)
        if (is_light(row)) particles[mass][row] *= 1e-3;
    return particles;
}

// A Plummer sphere, one particle of which is so far away that the others have few keys.
inline ParticleSet one_far_away(std::size_t size, std::uint64_t seed) {
    ParticleSet particles = plummer(size, seed);
    if (size > 0) particles[position][size - 1] = {3e7, -1e7, 2e7};
    return particles;
}

inline ParticleSet one_place(std::size_t size, std::uint64_t seed) {
    return particles_at(size, seed, [](std::size_t) { return Vec3<double>{0.3, -0.7, 0.1}; });
}

inline ParticleSet on_a_line(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    return particles_at(size, seed, [&](std::size_t) { return Vec3<double>{0, random.uniform(0, 1), 0}; });
}

// Particles on the boundaries between the tree's cells, many at the same place.
inline ParticleSet on_cell_boundaries(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    const std::array<Vec3<double>, 2> corners{{{0, 0, 0}, {1, 1, 1}}};
    const Box root = bounding_cube(corners);
    return particles_at(size, seed, [&](std::size_t row) {
        if (row < 2) return corners[row];
        const auto along = [&] { return std::clamp(static_cast<double>(random.bits() % 9) * root.side / 8, 0.0, 1.0); };
        const Vec3<double> at{along(), along(), along()};
        return Vec3<double>{std::clamp(root.low.x + at.x, 0.0, 1.0), std::clamp(root.low.y + at.y, 0.0, 1.0),
                            std::clamp(root.low.z + at.z, 0.0, 1.0)};
    });
}

struct Model {
    const char* name;
    ParticleSet (*make)(std::size_t size, std::uint64_t seed);
};

inline constexpr std::array<Model, 8> all_models{{{"uniform_cube", uniform_cube},
                                                  {"uniform_sphere", uniform_sphere},
                                                  {"plummer", plummer},
                                                  {"clustered", clustered},
                                                  {"unequal_clumps", unequal_clumps},
                                                  {"one_place", one_place},
                                                  {"on_a_line", on_a_line},
                                                  {"on_cell_boundaries", on_cell_boundaries}}};

// Models whose particles do not need finer keys (Tree::build), which trees of particles on a device do not have.
inline std::array<Model, 8> models_of_coarse_keys() {
    auto models = all_models;
    for (Model& model : models)
        if (model.make == clustered)
            model.make = [](std::size_t size, std::uint64_t seed) { return clumps(5, size, seed); };
    return models;
}

// GoogleTest names the tests of a model after it.
inline void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

// Every position p becomes factor * p + offset.
inline void place(ParticleSet& particles, double factor, const Vec3<double>& offset) {
    for (auto& at : particles[position]) at = factor * at + offset;
}

}  // namespace trellis::models
