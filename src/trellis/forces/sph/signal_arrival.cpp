#include "trellis/forces/sph/signal_arrival.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The largest ratio of neighbours' steps.
constexpr double neighbour_ratio = 4;

// The parts by which other ranks know a rank's particles.
constexpr std::size_t parts_of_rank = 64;

struct PartsOfRank {
    std::array<SignalSource, parts_of_rank> parts;
    std::size_t count = 0;
};

// The distance between the nearest points of two boxes, or of their images.
double gap(const Extent& a, const Extent& b, const Region& region) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double apart = 0.5 * std::abs(a.low[axis] + a.high[axis] - b.low[axis] - b.high[axis]);
        if (region.periodic(axis)) apart = std::abs(std::remainder(apart, region.high[axis] - region.low[axis]));
        const double halves = 0.5 * (a.high[axis] - a.low[axis] + b.high[axis] - b.low[axis]);
        const double clear = std::max(apart - halves, 0.0);
        sum += clear * clear;
    }
    return std::sqrt(sum);
}

// The largest difference of two velocities.
double relative_speed(const Extent& a, const Extent& b) {
    Vec3<double> most;
    for (std::size_t axis = 0; axis < 3; ++axis)
        most[axis] = std::max(a.high[axis] - b.low[axis], b.high[axis] - a.low[axis]);
    return std::sqrt(dot(most, most));
}

}  // namespace

SignalSource joined(const SignalSource& a, const SignalSource& b) {
    return {join(a.bounds, b.bounds), join(a.velocities, b.velocities), std::min(a.shortest, b.shortest),
            std::max(a.speed, b.speed), std::max(a.reach, b.reach)};
}

double step_before_arrival(const SignalSource& target, const SignalSource& source, const Region& region) {
    const double near = neighbour_ratio * source.shortest;
    const double way = gap(target.bounds, source.bounds, region) - std::max(target.reach, source.reach);
    if (way <= 0) return near;
    return near + way / (target.speed + source.speed + relative_speed(target.velocities, source.velocities));
}

SignalArrival::SignalArrival(const Neighbourhood& lists, const ParticleSet& particles)
    : lists_(lists), particles_(particles), cells_(lists.tree().cells().size()) {
    const auto cells = lists.tree().cells();
    const auto leaves = lists.tree().leaves();
    parallel_for(leaves.size(), [&](std::size_t k) {
        const Cell& leaf = cells[leaves[k]];
        cells_[leaves[k]] = source_of(leaf.first, leaf.count);
    });
    for (std::size_t cell = cells.size(); cell-- > 0;)  // children come after their cell
        if (!cells[cell].is_leaf()) cells_[cell] = joined(cells_[cells[cell].child], cells_[cells[cell].child + 1]);
    if (lists.ranks() != nullptr) gather_elsewhere(*lists.ranks()->comm);
}

// At least one particle.
SignalSource SignalArrival::source_of(std::uint32_t first, std::uint32_t count) const {
    const auto order = lists_.tree().order().subspan(first, count);
    const auto x = particles_[position], v = particles_[velocity];
    const auto h = particles_[smoothing_length], signal = particles_[signal_speed], step = particles_[signal_step];
    SignalSource all{{x[order[0]], x[order[0]]}, {v[order[0]], v[order[0]]}, infinity, 0, 0};
    for (const std::uint32_t row : order)
        all = joined(all, {{x[row], x[row]}, {v[row], v[row]}, step[row], 0.5 * signal[row], h[row]});
    return all;
}

// Up to `most` cells with all particles of this rank, the largest of them divided first.
std::vector<SignalSource> SignalArrival::parts(std::size_t most) const {
    const auto cells = lists_.tree().cells();
    std::vector<std::uint32_t> chosen;
    if (!cells.empty()) chosen.push_back(0);
    while (!chosen.empty() && chosen.size() < most) {
        const auto size = [&](std::uint32_t cell) { return cells[cell].is_leaf() ? 0 : cells[cell].count; };
        const auto largest = std::ranges::max_element(chosen, {}, size);
        if (size(*largest) == 0) break;
        const std::uint32_t child = cells[*largest].child;
        *largest = child;
        chosen.push_back(child + 1);
    }
    std::vector<SignalSource> sources;
    for (const std::uint32_t cell : chosen) sources.push_back(cells_[cell]);
    return sources;
}

void SignalArrival::gather_elsewhere(Comm& comm) {
    PartsOfRank own{};
    const auto own_parts = parts(parts_of_rank);
    own.count = own_parts.size();
    std::ranges::copy(own_parts, own.parts.begin());
    const auto of_ranks = all_gather(comm, own);
    for (int rank = 0; rank < comm.size(); ++rank) {
        const PartsOfRank& others = of_ranks[static_cast<std::size_t>(rank)];
        if (rank != comm.rank())
            elsewhere_.insert(elsewhere_.end(), others.parts.begin(),
                              others.parts.begin() + static_cast<std::ptrdiff_t>(others.count));
    }
}

void SignalArrival::lower_steps(ParticleSet& particles, std::span<const std::uint8_t> groups) const {
    const auto all = lists_.lists().groups();
    const auto order = lists_.tree().order();
    const auto steps = particles[signal_step];
    parallel_tasks(all.size(), [&](std::size_t g, int) {
        if (!groups.empty() && groups[g] == 0) return;
        const SignalSource target = source_of(all[g].first, all[g].count);
        const auto rows = order.subspan(all[g].first, all[g].count);
        double limit = 0;  // the longest step of these rows: none above it matters
        for (const std::uint32_t row : rows) limit = std::max(limit, steps[row]);
        for (const SignalSource& source : elsewhere_)
            limit = std::min(limit, step_before_arrival(target, source, particles_.region()));
        lower(limit, target, 0);
        for (const std::uint32_t row : rows) steps[row] = std::min(steps[row], limit);
    });
}

// By the signals of the particles in a cell.
void SignalArrival::lower(double& limit, const SignalSource& target, std::uint32_t cell) const {
    const double allowed = step_before_arrival(target, cells_[cell], particles_.region());
    if (allowed >= limit) return;
    const Cell& here = lists_.tree().cells()[cell];
    if (here.is_leaf()) {
        limit = allowed;
        return;
    }
    const auto nearer = [&](std::uint32_t child) {
        return step_before_arrival(target, cells_[child], particles_.region());
    };
    const bool swapped = nearer(here.child + 1) < nearer(here.child);
    lower(limit, target, here.child + (swapped ? 1 : 0));
    lower(limit, target, here.child + (swapped ? 0 : 1));
}

}  // namespace trellis
