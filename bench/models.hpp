// Initial conditions of the benchmarks: total mass 1, at rest, the same for the same size.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/particles/particle_set.hpp"

namespace bench {

using trellis::Vec3;

inline constexpr double softening = 1e-3;  // in all benchmarks: both models have a scale of 1

// Radius inside which a share of the mass lies.
inline double sphere_radius(double share) { return std::cbrt(share); }
inline double plummer_radius(double share) { return 1 / std::sqrt(std::pow(share, -2.0 / 3.0) - 1); }

// "sphere": uniform, of radius 1. "plummer": of scale radius 1, cut at 30.
inline std::shared_ptr<trellis::ParticleSet> model(const std::string& name, std::size_t size) {
    if (name != "sphere" && name != "plummer")
        throw trellis::InputError("the model is '" + name + "': allowed are sphere and plummer");
    constexpr double cut = 30;
    const double share_within_cut = std::pow(1 + 1 / (cut * cut), -1.5);
    std::mt19937_64 random(1);
    const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    auto particles = std::make_shared<trellis::ParticleSet>(size);
    const auto x = (*particles)[trellis::position];
    const auto m = (*particles)[trellis::mass];
    for (std::size_t row = 0; row < size; ++row) {
        const double r = name == "sphere" ? sphere_radius(uniform(0, 1)) : plummer_radius(uniform(0, share_within_cut));
        const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), ring = std::sqrt(1 - z * z);
        x[row] = r * Vec3<double>{ring * std::cos(angle), ring * std::sin(angle), z};
        m[row] = 1.0 / static_cast<double>(size);
    }
    return particles;
}

}  // namespace bench
