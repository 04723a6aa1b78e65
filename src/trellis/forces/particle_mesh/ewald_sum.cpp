#include "trellis/forces/particle_mesh/ewald_sum.hpp"

#include <numbers>

namespace trellis {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double negligible = 5.3;  // exp(-5.3^2) is 6e-13

// Adds 1 / sqrt(r^2 + epsilon2) - erf(alpha r) / r and its gradient by d, r = |d|; at r = 0 the latter term alone.
void add_near(const Vec3<double>& d, double alpha, double epsilon2, PotentialAndGradient<double>& sum) {
    const double r2 = dot(d, d), r = std::sqrt(r2), x = alpha * r;
    if (r == 0) {
        sum[0] -= 2 * alpha / std::sqrt(pi);
        return;
    }
    const double softened = 1 / std::sqrt(r2 + epsilon2), smooth = std::erf(x) / r;
    const double smooth_slope = (2 * alpha / std::sqrt(pi) * std::exp(-x * x) - smooth) / r2;
    sum[0] += softened - smooth;
    for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis + 1] -= (softened * softened * softened + smooth_slope) * d[axis];
}

}  // namespace

EwaldSum::EwaldSum(const Region& region) : region_(region) {
    const Vec3<double> side = region.high - region.low;
    const double volume = side.x * side.y * side.z;
    alpha_ = std::sqrt(pi) / std::cbrt(volume);
    reach_ = negligible / alpha_;
    background_ = pi / (alpha_ * alpha_ * volume);
    const double largest_k = 2 * alpha_ * negligible;
    const auto most = [&](std::size_t axis) { return static_cast<int>(largest_k * side[axis] / (2 * pi)); };
    for (int i = -most(0); i <= most(0); ++i)
        for (int j = -most(1); j <= most(1); ++j)
            for (int l = -most(2); l <= most(2); ++l) {
                const bool first_of_two = i > 0 || (i == 0 && (j > 0 || (j == 0 && l > 0)));
                const Vec3<double> k{2 * pi * i / side.x, 2 * pi * j / side.y, 2 * pi * l / side.z};
                const double k2 = dot(k, k);
                if (first_of_two && k2 < largest_k * largest_k)
                    waves_.push_back({k, 8 * pi / (volume * k2) * std::exp(-k2 / (4 * alpha_ * alpha_))});
            }
}

PotentialAndGradient<double> EwaldSum::operator()(const Vec3<double>& d, double epsilon2) const {
    PotentialAndGradient<double> sum{-background_, 0, 0, 0};
    for_images(region_, d, reach_, [&](const Vec3<double>& image) {
        if (dot(image, image) < reach_ * reach_) add_near(image, alpha_, epsilon2, sum);
    });
    for (const Wave& wave : waves_) {
        const double phase = dot(wave.k, d), slope = wave.weight * std::sin(phase);
        sum[0] += wave.weight * std::cos(phase);
        for (std::size_t axis = 0; axis < 3; ++axis) sum[axis + 1] -= slope * wave.k[axis];
    }
    return sum;
}

void gravity_of_all_images(const ParticleSet& sources, const Vec3<double>& at, double epsilon2, double G,
                           double* values) {
    const EwaldSum lattice(sources.region());
    const auto places = sources[fields::position];
    const auto masses = sources[fields::mass];
    PotentialAndGradient<double> sum{};
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const auto field = lattice(at - places[j], epsilon2);
        for (std::size_t c = 0; c < 4; ++c) sum[c] += masses[j] * field[c];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = G * sum[axis + 1];
    values[3] = -G * sum[0];
}

}  // namespace trellis
