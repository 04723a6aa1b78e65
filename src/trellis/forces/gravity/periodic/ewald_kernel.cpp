#include "trellis/forces/gravity/periodic/ewald_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "trellis/base/simd.hpp"
#include "trellis/base/vector_rsqrt.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// Ewald's parameter: sources are Gaussians of this inverse width, whose field is a sum over waves, and what these lack
// near the sources. Waves and near images that are left out are below 2e-12.
constexpr double alpha = 5, nearby = 1.05;
constexpr int most_waves = 8, longest2 = most_waves * most_waves;

using V = Vector<double>;
constexpr std::size_t width = lanes<double>;

struct Sums {
    V value{};
    Vec3<V> gradient{V{}, V{}, V{}};
};

// The amplitudes of the waves cos(2 pi h.d), those with h of the other signs included, for the sums over 1 / r and over
// 1 / r^3; h >= 0 along each axis.
struct Amplitudes {
    FarLattice of[most_waves + 1][most_waves + 1][most_waves + 1] = {};

    Amplitudes() {
        constexpr double pi = std::numbers::pi;
        for (int x = 0; x <= most_waves; ++x)
            for (int y = 0; y <= most_waves; ++y)
                for (int z = 0; z <= most_waves; ++z) {
                    const int h2 = x * x + y * y + z * z;
                    if (h2 == 0 || h2 > longest2) continue;
                    const int signs = (x > 0 ? 2 : 1) * (y > 0 ? 2 : 1) * (z > 0 ? 2 : 1);
                    const double q = pi * pi * h2 / (alpha * alpha);
                    of[x][y][z] = {signs * std::exp(-q) / (pi * h2), signs * 2 * pi * -std::expint(-q)};
                }
    }
};

// cos and sin of 2 pi h d for h = 0, 1, ... along one axis.
struct Harmonics {
    V cosine[most_waves + 1], sine[most_waves + 1];

    // d: within half a period. Taylor series of half the angle, which is at most pi / 2, are exact to rounding.
    explicit Harmonics(const V& d) {
        const V angle = d * std::numbers::pi, square = angle * angle;
        V half_sine{}, half_cosine{};
        for (int n = 11; n >= 0; --n) {
            half_sine = 1.0 - square * half_sine / (2.0 * (n + 1) * (2 * n + 3));
            half_cosine = 1.0 - square * half_cosine / (2.0 * (n + 1) * (2 * n + 1));
        }
        half_sine *= angle;
        cosine[0] = V{} + 1.0;
        sine[0] = V{};
        cosine[1] = 1.0 - 2.0 * half_sine * half_sine;
        sine[1] = 2.0 * half_sine * half_cosine;
        for (int h = 2; h <= most_waves; ++h) {
            cosine[h] = 2.0 * cosine[1] * cosine[h - 1] - cosine[h - 2];
            sine[h] = 2.0 * cosine[1] * sine[h - 1] - sine[h - 2];
        }
    }
};

// Adds the smooth part of all images with their background. d: within half a period along each axis.
void add_waves(const Vec3<V>& d, const V& widening, Sums& sums) {
    static const Amplitudes amplitudes;
    const Harmonics x(d.x), y(d.y), z(d.z);
    constexpr double per_wave = 2 * std::numbers::pi;
    const V minus_half = -0.5 * widening;
    for (int a = 0; a <= most_waves; ++a)
        for (int b = 0; a * a + b * b <= longest2 && b <= most_waves; ++b) {
            V cosines{}, sines{};
            for (int c = 0; a * a + b * b + c * c <= longest2; ++c) {
                const V amplitude = amplitudes.of[a][b][c].points + minus_half * amplitudes.of[a][b][c].cubes;
                cosines += amplitude * z.cosine[c];
                sines += amplitude * (c * z.sine[c]);
            }
            const V both = x.cosine[a] * y.cosine[b];
            sums.value += both * cosines;
            sums.gradient.x -= per_wave * a * x.sine[a] * y.cosine[b] * cosines;
            sums.gradient.y -= per_wave * b * x.cosine[a] * y.sine[b] * cosines;
            sums.gradient.z -= per_wave * both * sines;
        }
    sums.value -= std::numbers::pi / (alpha * alpha);
}

V rounded_to_whole(V d) {
    for (std::size_t lane = 0; lane < width; ++lane) d[lane] = std::nearbyint(d[lane]);
    return d;
}

Vec3<V> of_nearest_image(const Vec3<V>& d) {
    return {d.x - rounded_to_whole(d.x), d.y - rounded_to_whole(d.y), d.z - rounded_to_whole(d.z)};
}

// A function of the distance at one distance, and its slope over the distance.
struct Radial {
    double value, slope;
};

// 1 / r and 1 / r^3, less their smooth parts; near: the smooth parts alone, with a minus.
struct Rest {
    Radial points, cubes;
};
Rest rest_at(double r2, bool near) {
    const double r = std::sqrt(r2), x = alpha * r, peak = 2 * alpha * std::numbers::inv_sqrtpi;
    const double peak3 = alpha * alpha * peak;
    if (r == 0) return {{-peak, 0}, {-2 * peak3 / 3, 0}};
    const double gauss = std::exp(-x * x), rest = near ? -std::erf(x) : std::erfc(x);
    const double points = rest / r, cubes = (rest / r + peak * gauss) / r2;
    return {{points, -(points + peak * gauss) / r2}, {cubes, -(3 * cubes + 2 * peak3 * gauss) / r2}};
}

// Takes the smooth part of one image away.
void take_smooth(const Vec3<V>& d, const V& widening, Sums& sums) {
    const V r2 = dot(d, d), per_r = vector_rsqrt(r2), per_r2 = per_r * per_r, half = 0.5 * widening;
    V value = -per_r * (1.0 - half * per_r2), slope = per_r * per_r2 * (1.0 - 3.0 * half * per_r2);  // far away
    for (std::size_t lane = 0; lane < width; ++lane) {
        if (r2[lane] > nearby * nearby) continue;
        const Rest rest = rest_at(r2[lane], true);
        value[lane] = rest.points.value - half[lane] * rest.cubes.value;
        slope[lane] = rest.points.slope - half[lane] * rest.cubes.slope;
    }
    sums.value += value;
    sums.gradient += slope * d;
}

// Calls take(n) for the whole numbers n up to reach along each axis.
template <class Take>
[[gnu::always_inline]] inline void for_images(int reach, Take&& take) {
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -reach; z <= reach; ++z) take(x, y, z);
}

Vec3<V> shifted(const Vec3<V>& d, int x, int y, int z) { return {d.x + x, d.y + y, d.z + z}; }

// Adds one image, softened, in place of its smooth part.
void add_softened(const Vec3<V>& d, const V& widening, Sums& sums) {
    const V per_r = vector_rsqrt(dot(d, d) + widening);
    sums.value += per_r;
    sums.gradient -= (per_r * per_r * per_r) * d;
    take_smooth(d, widening, sums);
}

// A single value of the lanes, as sources weigh them.
LatticeField weighed(const Sums& sums, const V& strength) {
    return {sum_of_lanes<double>(sums.value * strength),
            {sum_of_lanes<double>(sums.gradient.x * strength), sum_of_lanes<double>(sums.gradient.y * strength),
             sum_of_lanes<double>(sums.gradient.z * strength)}};
}

// f of some sources.
Sums field_of(const Vec3<V>& d, const V& widening) {
    const Vec3<V> nearest = of_nearest_image(d);
    Sums sums;
    add_waves(nearest, widening, sums);
    for_images(1, [&](int x, int y, int z) { add_softened(shifted(nearest, x, y, z), widening, sums); });
    return sums;
}

// f of a source at the target, which has images alone.
double field_of_own_images(double widening) {
    Sums sums;
    const V zero{}, wide = zero + widening;
    const Vec3<V> here{zero, zero, zero};
    add_waves(here, wide, sums);
    for_images(1, [&](int x, int y, int z) {
        if (x == 0 && y == 0 && z == 0)
            take_smooth(here, wide, sums);
        else
            add_softened(shifted(here, x, y, z), wide, sums);
    });
    return sums.value[0];
}

}  // namespace

LatticeField sum_lattice(const LatticeSources& sources, const Vec3<double>& target, double widening, std::int64_t self,
                         double period) {
    const double per_period = 1 / period;
    const auto widening_of_row = [&](std::size_t row) {
        const double e = sources.softenings.empty() ? 0 : sources.softenings[row];
        return (widening + 0.5 * e * e) * per_period * per_period;
    };
    LatticeField total;
    for (std::size_t first = 0; first < sources.places.size(); first += width) {
        Vec3<V> d{V{} + 0.25, V{}, V{}};
        V strength{}, wide{};
        for (std::size_t lane = 0; lane < std::min(width, sources.places.size() - first); ++lane) {
            const std::size_t row = first + lane;
            if (static_cast<std::int64_t>(row) == self) continue;
            const Vec3<double> apart = (sources.places[row] - target) * per_period;
            d.x[lane] = apart.x;
            d.y[lane] = apart.y;
            d.z[lane] = apart.z;
            strength[lane] = sources.strengths[row];
            wide[lane] = widening_of_row(row);
        }
        const LatticeField some = weighed(field_of(d, wide), strength);
        total.value += some.value;
        total.gradient += some.gradient;
    }
    if (self >= 0) {
        const auto row = static_cast<std::size_t>(self);
        total.value += sources.strengths[row] * field_of_own_images(widening_of_row(row));
    }
    return {total.value * per_period, total.gradient * (per_period * per_period)};
}

void sum_far_lattice(std::span<const Vec3<double>> places, std::span<FarLattice> values) {
    for (std::size_t k = 0; k < places.size(); ++k) {
        const Vec3<double>& d = places[k];
        // Waves are linear in the widening: two lanes give both sums.
        V widening{};
        widening[1] = -2;
        const V zero{};
        Sums sums;
        add_waves(of_nearest_image({zero + d.x, zero + d.y, zero + d.z}), widening, sums);
        FarLattice far{sums.value[0], sums.value[1] - sums.value[0]};
        for_images(3, [&](int x, int y, int z) {
            const Vec3<double> image = d + Vec3<double>{1.0 * x, 1.0 * y, 1.0 * z};
            const bool near = std::max({std::abs(x), std::abs(y), std::abs(z)}) <= 1;
            if (!near && dot(image, image) > nearby * nearby) return;
            const Rest rest = rest_at(dot(image, image), near);
            far.points += rest.points.value;
            far.cubes += rest.cubes.value;
        });
        values[k] = far;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
