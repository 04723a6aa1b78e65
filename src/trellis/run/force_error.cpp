#include "trellis/run/force_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_set>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"
#include "trellis/particles/packed_rows.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// The particles compared, known on every rank: all their columns, and the row of each.
struct Probes {
    ParticleSet particles;
    std::vector<std::int64_t> rows;  // on this rank; -1: the particle is on another
};

// Different numbers below size, in order (Floyd's algorithm; Bentley 1987).
std::vector<std::uint64_t> random_numbers(std::uint64_t size, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::unordered_set<std::uint64_t> chosen;
    for (std::uint64_t k = size - std::min<std::uint64_t>(count, size); k < size; ++k)
        if (const std::uint64_t number = random() % (k + 1); !chosen.insert(number).second) chosen.insert(k);
    std::vector<std::uint64_t> numbers(chosen.begin(), chosen.end());
    std::ranges::sort(numbers);
    return numbers;
}

// Particles are numbered by rank and row.
Probes draw(Comm& comm, const ParticleSet& particles, std::size_t count, std::uint64_t seed) {
    const auto sizes = all_gather(comm, std::uint64_t{particles.size()});
    const std::uint64_t all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    const std::uint64_t first = std::accumulate(sizes.begin(), sizes.begin() + comm.rank(), std::uint64_t{0});
    std::vector<std::uint32_t> own;
    std::vector<std::int64_t> rows;
    for (const std::uint64_t number : random_numbers(all, count, seed)) {
        const bool here = number >= first && number < first + particles.size();
        rows.push_back(here ? static_cast<std::int64_t>(number - first) : -1);
        if (here) own.push_back(static_cast<std::uint32_t>(number - first));
    }
    std::vector<Message> messages;
    messages.reserve(static_cast<std::size_t>(comm.size()));
    const auto packed = RowFormat(particles).packed(particles, own);
    for (int to = 0; to < comm.size(); ++to) messages.push_back({to, packed});
    Probes probes{ParticleSet(rows.size()), std::move(rows)};
    probes.particles.set_region(particles.region());
    for (const auto& column : particles.columns())
        if (!probes.particles.has(column->info().name)) probes.particles.add(column->info());
    const RowFormat format(probes.particles);
    std::size_t filled = 0;
    for (const Message& message : comm.begin_exchange(std::move(messages))->finish()) {
        format.unpack(message.bytes, probes.particles, filled);
        filled += format.row_count(message.bytes);
    }
    return probes;
}

// An empty set with the region and the columns of particles.
ParticleSet no_particles_like(const ParticleSet& particles) {
    ParticleSet none(0);
    none.set_region(particles.region());
    for (const auto& column : particles.columns())
        if (!none.has(column->info().name)) none.add(column->info());
    return none;
}

// The acceleration of a probe by the particles of this rank. Terms that need no source count on the rank of the probe.
Vec3<double> direct_acceleration(const ParticleSet& particles, const std::vector<std::shared_ptr<Force>>& forces,
                                 const Probes& probes, double time, std::uint32_t probe) {
    Vec3<double> total{0, 0, 0};
    const ParticleSet no_sources = no_particles_like(particles);
    const bool here = probes.rows[probe] >= 0;
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
        force->reference(particles, probes.particles, probe, probes.rows[probe], time, values.data());
        total += {values[acceleration_at], values[acceleration_at + 1], values[acceleration_at + 2]};
        if (here) continue;
        force->reference(no_sources, probes.particles, probe, -1, time, values.data());
        total -= {values[acceleration_at], values[acceleration_at + 1], values[acceleration_at + 2]};
    }
    return total;
}

// The accelerations of all probes by the particles of all ranks.
std::vector<Vec3<double>> direct_accelerations(Comm& comm, const ParticleSet& particles,
                                               const std::vector<std::shared_ptr<Force>>& forces, double time,
                                               const Probes& probes) {
    std::vector<Vec3<double>> total(probes.rows.size());
    parallel_tasks(total.size(), [&](std::size_t k, int) {
        total[k] = direct_acceleration(particles, forces, probes, time, static_cast<std::uint32_t>(k));
    });
    if (comm.size() == 1) return total;
    const auto parts = comm.all_gather(std::as_bytes(std::span(total)));
    std::ranges::fill(total, Vec3<double>{0, 0, 0});
    for (std::size_t k = 0; k < parts.size() / sizeof(Vec3<double>); ++k)
        total[k % total.size()] +=
            value_of<Vec3<double>>(std::span(parts).subspan(k * sizeof(Vec3<double>), sizeof(Vec3<double>)));
    return total;
}

// The error of a value that should have this size.
double relative(double error, double size) { return error == 0 ? 0 : size > 0 ? error / size : 1; }

double rms_of(const std::vector<double>& values) {
    const auto add_square = [](double sum, double value) { return sum + value * value; };
    return std::sqrt(std::accumulate(values.begin(), values.end(), 0.0, add_square) /
                     static_cast<double>(values.size()));
}

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// The least acceleration that is known beside an external one, over the whole.
constexpr double rounding = 1e-12;

std::vector<Vec3<double>> external_accelerations(const ParticleSet& particles) {
    if (!particles.has(ExternalAcceleration::name)) return std::vector<Vec3<double>>(particles.size());
    const auto external = particles[ExternalAcceleration{}];
    return {external.begin(), external.end()};
}

}  // namespace

ForceError measure_force_error(Comm& comm, const ParticleSet& particles,
                               const std::vector<std::shared_ptr<Force>>& forces, double time, std::size_t count,
                               std::uint64_t seed) {
    for (const auto& force : forces) force->prepare_reference(particles, time, comm);
    const Probes probes = draw(comm, particles, count, seed);
    const auto exact = direct_accelerations(comm, particles, forces, time, probes);
    if (exact.empty()) return {};
    const auto computed = probes.particles[acceleration];
    const auto external = external_accelerations(probes.particles);
    std::vector<double> sizes(exact.size()), errors(exact.size()), ratios(exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
        sizes[k] = std::max(norm(exact[k] - external[k]), rounding * norm(exact[k]));
        errors[k] = norm(computed[k] - exact[k]);
        ratios[k] = relative(errors[k], sizes[k]);
    }
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(std::lround(share * static_cast<double>(ratios.size() - 1)))];
    };
    return {.rms = rms_of(ratios),
            .median = at(0.5),
            .percentile_99 = at(0.99),
            .maximum = ratios.back(),
            .over_rms = relative(rms_of(errors), rms_of(sizes))};
}

}  // namespace trellis
