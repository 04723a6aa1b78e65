// Initial conditions of the benchmarks: total mass 1, at rest, the same for the same size.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/particles/particle_set.hpp"

namespace bench {

using trellis::Vec3;

inline constexpr double softening = 1e-3;  // the same in all benchmarks: both models have a scale of 1

// The radius that encloses a share of the mass: of the uniform sphere, and of Plummer's.
inline double sphere_radius(double share) { return std::cbrt(share); }
inline double plummer_radius(double share) { return 1 / std::sqrt(std::pow(share, -2.0 / 3.0) - 1); }

class Random {
  public:
    double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
    Vec3<double> direction() {
        const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), ring = std::sqrt(1 - z * z);
        return {ring * std::cos(angle), ring * std::sin(angle), z};
    }
    Vec3<double> in_cube(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }

  private:
    std::mt19937_64 engine_{1};
};

// A random position in Plummer's sphere of scale radius 1, cut at 30.
inline Vec3<double> in_plummer(Random& random) {
    constexpr double cut = 30;
    static const double share_within_cut = std::pow(1 + 1 / (cut * cut), -1.5);
    const double r = plummer_radius(random.uniform(0, share_within_cut));
    return r * random.direction();
}

// Random positions of a model. "cube": uniform, side 2. "sphere": uniform, radius 1. "plummer": scale radius 1, cut
// at 30. "clusters": 32 Plummer spheres of scale radius 0.001 to 0.1 in the cube.
class Positions {
  public:
    explicit Positions(const std::string& model) : model_(model) {
        if (model != "cube" && model != "sphere" && model != "plummer" && model != "clusters")
            throw trellis::InputError("the model is '" + model + "': allowed are cube, sphere, plummer and clusters");
        for (int k = 0; k < 32; ++k) {
            if (model != "clusters") break;
            centres_.push_back(random_.in_cube(1));
            radii_.push_back(std::pow(10, random_.uniform(-3, -1)));
        }
    }

    Vec3<double> next() {
        if (model_ == "cube") return random_.in_cube(1);
        if (model_ == "plummer") return in_plummer(random_);
        if (model_ == "sphere") {
            const double r = sphere_radius(random_.uniform(0, 1));
            return r * random_.direction();
        }
        const auto k = static_cast<std::size_t>(random_.uniform(0, static_cast<double>(radii_.size())));
        return centres_[k] + radii_[k] * in_plummer(random_);
    }

  private:
    std::string model_;
    Random random_;
    std::vector<Vec3<double>> centres_;
    std::vector<double> radii_;
};

inline std::shared_ptr<trellis::ParticleSet> model(const std::string& name, std::size_t size) {
    Positions positions(name);
    auto particles = std::make_shared<trellis::ParticleSet>(size);
    for (Vec3<double>& position : (*particles)[trellis::fields::position]) position = positions.next();
    for (double& m : (*particles)[trellis::fields::mass]) m = 1.0 / static_cast<double>(size);
    return particles;
}

// Every ranks-th particle, the initial share of a rank.
inline std::shared_ptr<trellis::ParticleSet> share(const trellis::ParticleSet& all, int rank, int ranks) {
    const auto first = static_cast<std::size_t>(rank), stride = static_cast<std::size_t>(ranks);
    auto own = std::make_shared<trellis::ParticleSet>(all.size() > first ? (all.size() - first - 1) / stride + 1 : 0);
    own->set_region(all.region());
    for (std::size_t k = 0, row = first; k < own->size(); ++k, row += stride) {
        (*own)[trellis::fields::position][k] = all[trellis::fields::position][row];
        (*own)[trellis::fields::velocity][k] = all[trellis::fields::velocity][row];
        (*own)[trellis::fields::mass][k] = all[trellis::fields::mass][row];
        (*own)[trellis::fields::id][k] = all[trellis::fields::id][row];
    }
    return own;
}

}  // namespace bench
