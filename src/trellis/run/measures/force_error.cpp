#include "trellis/run/measures/force_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_set>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/checks.hpp"
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

// A set of `size` particles with the region and the columns of others.
ParticleSet set_like(const ParticleSet& particles, std::size_t size) {
    ParticleSet made(size);
    made.set_region(particles.region());
    for (const auto& column : particles.columns())
        if (!made.has(column->info().name)) made.add(column->info());
    return made;
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
    Probes probes{set_like(particles, rows.size()), std::move(rows)};
    const RowFormat format(probes.particles);
    std::size_t filled = 0;
    for (const Message& message : comm.begin_exchange(std::move(messages))->finish()) {
        format.unpack(message.bytes, probes.particles, filled);
        filled += format.row_count(message.bytes);
    }
    return probes;
}

// The accelerations by the forces that count for accuracy, and by all others.
struct Accelerations {
    Vec3<double> mutual{0, 0, 0}, others{0, 0, 0};

    Accelerations& operator+=(const Accelerations& more) {
        mutual += more.mutual;
        others += more.others;
        return *this;
    }
    Accelerations& operator-=(const Accelerations& less) {
        mutual -= less.mutual;
        others -= less.others;
        return *this;
    }
};

// The acceleration of a probe by a force, from these sources. self: its row among them, or -1.
Accelerations acceleration_by(const Force& force, const ParticleSet& sources, const Probes& probes, std::uint32_t probe,
                              std::int64_t self, double time) {
    const std::size_t components = components_of(force.results());
    const std::size_t first = first_component(force.results(), Acceleration::name);
    if (first == components) return {};
    std::vector<double> values(components);
    force.reference(sources, probes.particles, probe, self, time, values.data());
    const Vec3<double> a{values[first], values[first + 1], values[first + 2]};
    return force.counts_for_accuracy() ? Accelerations{.mutual = a} : Accelerations{.others = a};
}

// The acceleration of a probe by the particles of this rank. Terms that need no source count on the rank of the probe.
Accelerations direct_acceleration(const ParticleSet& particles, const ParticleSet& no_sources,
                                  const std::vector<std::shared_ptr<Force>>& forces, const Probes& probes, double time,
                                  std::uint32_t probe) {
    Accelerations total;
    const std::int64_t self = probes.rows[probe];
    for (const auto& force : forces) {
        total += acceleration_by(*force, particles, probes, probe, self, time);
        if (self < 0) total -= acceleration_by(*force, no_sources, probes, probe, self, time);
    }
    return total;
}

// The accelerations of all probes by the particles of all ranks.
std::vector<Accelerations> direct_accelerations(Comm& comm, const ParticleSet& particles,
                                                const std::vector<std::shared_ptr<Force>>& forces, double time,
                                                const Probes& probes) {
    std::vector<Accelerations> total(probes.rows.size());
    const ParticleSet no_sources = set_like(particles, 0);
    parallel_tasks(total.size(), [&](std::size_t k, int) {
        total[k] = direct_acceleration(particles, no_sources, forces, probes, time, static_cast<std::uint32_t>(k));
    });
    if (comm.size() == 1) return total;
    const auto parts = comm.all_gather(std::as_bytes(std::span(total)));
    constexpr std::size_t size = sizeof(Accelerations);
    std::ranges::fill(total, Accelerations{});
    for (std::size_t k = 0; k < parts.size() / size; ++k)
        total[k % total.size()] += value_of<Accelerations>(std::span(parts).subspan(k * size, size));
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

// The share of an acceleration to which the mutual part of it is known.
constexpr double rounding = 1e-12;

// The accelerations of a probe as they were computed. Where particles stay on a device, their parts are not known: all
// errors are of the mutual one.
Accelerations computed_accelerations(const ParticleSet& probes, std::size_t k, const Accelerations& exact,
                                     bool any_counts) {
    const Vec3<double> whole = probes[acceleration][k];
    if (!any_counts) return {.others = whole};
    if (!probes.has(MutualAcceleration::name)) return {whole - exact.others, exact.others};
    const Vec3<double> mutual = probes[MutualAcceleration{}][k];
    return {mutual, whole - mutual};
}

// The errors of accelerations of all probes, and the sizes that they are compared with.
struct Errors {
    std::vector<double> errors, sizes;

    void add(double error, double size) {
        errors.push_back(error);
        sizes.push_back(size);
    }
    double ratio(std::size_t k) const { return relative(errors[k], sizes[k]); }
    double over_rms() const { return relative(rms_of(errors), rms_of(sizes)); }
};

}  // namespace

ForceError measure_force_error(Comm& comm, const ParticleSet& particles,
                               const std::vector<std::shared_ptr<Force>>& forces, double time, std::size_t count,
                               std::uint64_t seed) {
    for (const auto& force : forces) force->prepare_reference(particles, time, comm);
    const Probes probes = draw(comm, particles, count, seed);
    const auto exact = direct_accelerations(comm, particles, forces, time, probes);
    if (exact.empty()) return {};
    const bool any_counts = std::ranges::any_of(forces, [](const auto& force) { return force->counts_for_accuracy(); });
    Errors of_mutual, of_others;
    std::vector<double> ratios(exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const Accelerations computed = computed_accelerations(probes.particles, k, exact[k], any_counts);
        const double mutual = norm(exact[k].mutual), whole = norm(exact[k].mutual + exact[k].others);
        of_mutual.add(norm(computed.mutual - exact[k].mutual), mutual > rounding * whole ? mutual : whole);
        of_others.add(norm(computed.others - exact[k].others), std::max(mutual, whole));
        ratios[k] = std::max(of_mutual.ratio(k), of_others.ratio(k));
    }
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(std::lround(share * static_cast<double>(ratios.size() - 1)))];
    };
    return {.rms = rms_of(ratios),
            .median = at(0.5),
            .percentile_99 = at(0.99),
            .maximum = ratios.back(),
            .over_rms = std::max(of_mutual.over_rms(), of_others.over_rms())};
}

}  // namespace trellis
