#include "trellis/run/force_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

std::vector<std::uint32_t> random_rows(std::size_t size, std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> rows(size);
    std::iota(rows.begin(), rows.end(), 0U);
    std::mt19937_64 random(seed);
    count = std::min(count, size);
    for (std::size_t k = 0; k < count; ++k) std::swap(rows[k], rows[k + random() % (size - k)]);
    rows.resize(count);
    return rows;
}

Vec3<double> direct_acceleration(const ParticleSet& particles, const std::vector<std::shared_ptr<Force>>& forces,
                                 std::uint32_t row) {
    Vec3<double> total{0, 0, 0};
    for (const auto& force : forces) {
        std::vector<double> values;
        std::size_t components = 0, acceleration_at = 0;
        bool accelerates = false;
        for (const FieldInfo& field : force->results()) {
            if (field.name == Acceleration::name) {
                acceleration_at = components;
                accelerates = true;
            }
            components += field.components;
        }
        if (!accelerates) continue;
        values.resize(components);
        force->reference(particles, row, values.data());
        total += {values[acceleration_at], values[acceleration_at + 1], values[acceleration_at + 2]};
    }
    return total;
}

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace

ForceError measure_force_error(const ParticleSet& particles, const std::vector<std::shared_ptr<Force>>& forces,
                               std::size_t count, std::uint64_t seed) {
    const auto rows = random_rows(particles.size(), count, seed);
    if (rows.empty()) return {};
    const auto computed = particles[acceleration];
    std::vector<double> errors(rows.size());
    parallel_tasks(rows.size(), [&](std::size_t k, int) {
        const Vec3<double> exact = direct_acceleration(particles, forces, rows[k]);
        const double error = norm(computed[rows[k]] - exact), size = norm(exact);
        errors[k] = error == 0 ? 0 : size > 0 ? error / size : 1;
    });
    std::ranges::sort(errors);
    const double squares =
        std::transform_reduce(errors.begin(), errors.end(), 0.0, std::plus<>(), [](double e) { return e * e; });
    const auto at = [&](double share) {
        return errors[static_cast<std::size_t>(std::lround(share * static_cast<double>(errors.size() - 1)))];
    };
    return {std::sqrt(squares / static_cast<double>(errors.size())), at(0.5), at(0.99), errors.back()};
}

}  // namespace trellis
