#include "trellis/forces/gravity/periodic/ewald_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "trellis/base/simd.hpp"
#include "trellis/base/vector_rsqrt.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// Ewald's parameter: sources are Gaussians of this inverse width, whose field is a sum over waves, plus a correction
// near the sources. Neglected waves and near images are below 2e-12. Lengths here are in units of the cube root of the
// volume.
constexpr double alpha = 5, nearby = 1.05, largest_wavenumber = 8;
constexpr std::size_t axes = 3;

using V = Vector<double>;
constexpr std::size_t width = lanes<double>;

struct Sums {
    V value{};
    Vec3<V> gradient{V{}, V{}, V{}};
};

// A box of volume 1, periodic along all axes.
struct Lattice {
    Vec3<double> sides;
    std::array<int, axes> waves{};  // the highest along each side
    std::array<int, axes> near{};   // the most periods to an image that may be near, from a point within half a period
    // The amplitudes of the waves cos(2 pi sum of h_i d_i / side_i), waves with h of the other signs included, for the
    // sums over 1 / r and over 1 / r^3: h >= 0 along each axis, the h along z running fastest.
    std::vector<FarLattice> amplitudes;
    std::vector<int> counts;  // numbers of waves along z, for each h along x and y: the others are negligible

    explicit Lattice(const Vec3<double>& s) : sides(s) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            waves[axis] = whole(largest_wavenumber * sides[axis]);
            near[axis] = std::max(1, static_cast<int>(std::floor(nearby / sides[axis] + 0.5)));
        }
        for (int x = 0; x <= waves[0]; ++x)
            for (int y = 0; y <= waves[1]; ++y) {
                counts.push_back(count_along_z(x / sides.x, y / sides.y));
                for (int z = 0; z <= waves[2]; ++z)
                    amplitudes.push_back(amplitude({x / sides.x, y / sides.y, z / sides.z}));
            }
    }

    // The largest whole number up to this value, which may have been rounded down.
    static int whole(double number) { return static_cast<int>(number + 1e-9); }

    int count_along_z(double x, double y) const {
        const double rest = largest_wavenumber * largest_wavenumber + 1e-9 - x * x - y * y;
        return rest < 0 ? 0 : std::min(waves[2], whole(sides.z * std::sqrt(rest))) + 1;
    }

    static FarLattice amplitude(const Vec3<double>& h) {
        constexpr double pi = std::numbers::pi;
        const double h2 = dot(h, h);
        if (h2 == 0 || h2 > largest_wavenumber * largest_wavenumber + 1e-9) return {};
        const int signs = (h.x > 0 ? 2 : 1) * (h.y > 0 ? 2 : 1) * (h.z > 0 ? 2 : 1);
        const double q = pi * pi * h2 / (alpha * alpha);
        return {signs * std::exp(-q) / (pi * h2), signs * 2 * pi * -std::expint(-q)};
    }
};

// cos and sin of 2 pi h d for h = 0, 1, ... along one axis.
struct Harmonics {
    std::vector<V> cosine, sine;

    explicit Harmonics(int most) : cosine(static_cast<std::size_t>(most + 2)), sine(cosine.size()) {}

    // d: within half a period, in periods. Taylor series of half the angle, at most pi / 2, are exact to rounding.
    void set(const V& d) {
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
        for (std::size_t h = 2; h < cosine.size(); ++h) {
            cosine[h] = 2.0 * cosine[1] * cosine[h - 1] - cosine[h - 2];
            sine[h] = 2.0 * cosine[1] * sine[h - 1] - sine[h - 2];
        }
    }
};

// The smooth part of all images with their background.
class Waves {
  public:
    explicit Waves(const Lattice& lattice)
        : lattice_(lattice), x_(lattice.waves[0]), y_(lattice.waves[1]), z_(lattice.waves[2]) {}

    // d: within half a period along each axis.
    void add(const Vec3<V>& d, const V& widening, Sums& sums) {
        const Vec3<double>& sides = lattice_.sides;
        x_.set(d.x / sides.x);
        y_.set(d.y / sides.y);
        z_.set(d.z / sides.z);
        constexpr double per_wave = 2 * std::numbers::pi;
        const V minus_half = -0.5 * widening;
        const auto [a_most, b_most, c_most] = lattice_.waves;
        const FarLattice* amplitudes = lattice_.amplitudes.data();
        const int* counts = lattice_.counts.data();
        for (int a = 0; a <= a_most; ++a)
            for (int b = 0; b <= b_most; ++b, amplitudes += c_most + 1, ++counts) {
                V cosines{}, sines{};
                for (int c = 0; c < *counts; ++c) {
                    const V amplitude = amplitudes[c].points + minus_half * amplitudes[c].cubes;
                    cosines += amplitude * z_.cosine[c];
                    sines += amplitude * (c * z_.sine[c]);
                }
                const V both = x_.cosine[a] * y_.cosine[b];
                sums.value += both * cosines;
                sums.gradient.x -= per_wave * a / sides.x * x_.sine[a] * y_.cosine[b] * cosines;
                sums.gradient.y -= per_wave * b / sides.y * x_.cosine[a] * y_.sine[b] * cosines;
                sums.gradient.z -= per_wave / sides.z * both * sines;
            }
        sums.value -= std::numbers::pi / (alpha * alpha);
    }

  private:
    const Lattice& lattice_;
    Harmonics x_, y_, z_;
};

V rounded_to_whole(V d) {
    for (std::size_t lane = 0; lane < width; ++lane) d[lane] = std::nearbyint(d[lane]);
    return d;
}

Vec3<V> of_nearest_image(const Vec3<V>& d, const Vec3<double>& sides) {
    return {d.x - sides.x * rounded_to_whole(d.x / sides.x), d.y - sides.y * rounded_to_whole(d.y / sides.y),
            d.z - sides.z * rounded_to_whole(d.z / sides.z)};
}

// The value of a function of the distance r, and its derivative over r.
struct Radial {
    double value, slope;
};

// 1 / r and 1 / r^3 minus their smooth parts; near: minus the smooth parts alone.
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

// Subtracts the smooth part of one image.
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

// Calls take(whole periods, position) for the images up to `most` periods away along each axis.
template <class Place, class Take>
[[gnu::always_inline]] inline void for_images(const Lattice& lattice, const std::array<int, axes>& most, const Place& d,
                                              Take&& take) {
    const Vec3<double>& sides = lattice.sides;
    for (int x = -most[0]; x <= most[0]; ++x)
        for (int y = -most[1]; y <= most[1]; ++y)
            for (int z = -most[2]; z <= most[2]; ++z)
                take(std::array{x, y, z}, Place{d.x + x * sides.x, d.y + y * sides.y, d.z + z * sides.z});
}

// Adds one image, softened, in place of its smooth part.
void add_softened(const Vec3<V>& d, const V& widening, Sums& sums) {
    const V per_r = vector_rsqrt(dot(d, d) + widening);
    sums.value += per_r;
    sums.gradient -= (per_r * per_r * per_r) * d;
    take_smooth(d, widening, sums);
}

// The sum of the lanes, weighted by the strengths of their sources.
LatticeField weighed(const Sums& sums, const V& strength) {
    return {sum_of_lanes<double>(sums.value * strength),
            {sum_of_lanes<double>(sums.gradient.x * strength), sum_of_lanes<double>(sums.gradient.y * strength),
             sum_of_lanes<double>(sums.gradient.z * strength)}};
}

// The sum of f over a batch of sources.
Sums field_of(const Lattice& lattice, Waves& waves, const Vec3<V>& d, const V& widening) {
    const Vec3<V> nearest = of_nearest_image(d, lattice.sides);
    Sums sums;
    waves.add(nearest, widening, sums);
    for_images(lattice, lattice.near, nearest,
               [&](const auto&, const Vec3<V>& image) { add_softened(image, widening, sums); });
    return sums;
}

// f of the source that is the target, of which only the images act.
double field_of_own_images(const Lattice& lattice, Waves& waves, double widening) {
    Sums sums;
    const V zero{}, wide = zero + widening;
    const Vec3<V> here{zero, zero, zero};
    waves.add(here, wide, sums);
    for_images(lattice, lattice.near, here, [&](const std::array<int, axes>& periods, const Vec3<V>& image) {
        if (periods == std::array<int, axes>{})
            take_smooth(image, wide, sums);
        else
            add_softened(image, wide, sums);
    });
    return sums.value[0];
}

}  // namespace

LatticeField sum_lattice(const LatticeSources& sources, const Vec3<double>& target, double widening, std::int64_t self,
                         const Vec3<double>& sides) {
    const double per_unit = 1 / std::cbrt(sides.x * sides.y * sides.z);
    const Lattice lattice(sides * per_unit);
    Waves waves(lattice);
    const auto widening_of_row = [&](std::size_t row) {
        const double e = sources.softenings.empty() ? 0 : sources.softenings[row];
        return (widening + 0.5 * e * e) * per_unit * per_unit;
    };
    LatticeField total;
    for (std::size_t first = 0; first < sources.positions.size(); first += width) {
        Vec3<V> d{V{} + 0.25 * lattice.sides.x, V{}, V{}};
        V strength{}, wide{};
        for (std::size_t lane = 0; lane < std::min(width, sources.positions.size() - first); ++lane) {
            const std::size_t row = first + lane;
            if (static_cast<std::int64_t>(row) == self) continue;
            const Vec3<double> apart = (sources.positions[row] - target) * per_unit;
            d.x[lane] = apart.x;
            d.y[lane] = apart.y;
            d.z[lane] = apart.z;
            strength[lane] = sources.strengths[row];
            wide[lane] = widening_of_row(row);
        }
        const LatticeField some = weighed(field_of(lattice, waves, d, wide), strength);
        total.value += some.value;
        total.gradient += some.gradient;
    }
    if (self >= 0) {
        const auto row = static_cast<std::size_t>(self);
        total.value += sources.strengths[row] * field_of_own_images(lattice, waves, widening_of_row(row));
    }
    return {total.value * per_unit, total.gradient * (per_unit * per_unit)};
}

void sum_far_lattice(std::span<const Vec3<double>> positions, std::span<FarLattice> values) {
    const Lattice lattice({1, 1, 1});
    Waves waves(lattice);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const Vec3<double>& d = positions[k];
        // Waves are linear in the widening: two lanes give both sums.
        V widening{};
        widening[1] = -2;
        const V zero{};
        Sums sums;
        waves.add(of_nearest_image({zero + d.x, zero + d.y, zero + d.z}, lattice.sides), widening, sums);
        FarLattice far{sums.value[0], sums.value[1] - sums.value[0]};
        for_images(lattice, {3, 3, 3}, d, [&](const std::array<int, axes>& periods, const Vec3<double>& image) {
            const bool near = std::ranges::all_of(periods, [](int period) { return std::abs(period) <= 1; });
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
