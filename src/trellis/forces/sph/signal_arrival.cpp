#include "trellis/forces/sph/signal_arrival.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// The largest ratio of neighbours' steps.
constexpr double neighbour_ratio = 2;

// The parts by which other ranks know a rank's particles.
constexpr std::size_t parts_of_rank = 64;

struct PartsOfRank {
    std::array<SignalSource, parts_of_rank> parts;
    std::size_t count = 0;
};

// The squared distance between the nearest points of two boxes, or of their images.
inline double squared_gap(const Extent& a, const Extent& b, const Vec3<double>& periods) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double here = 0.5 * std::abs(a.low[axis] + a.high[axis] - b.low[axis] - b.high[axis]);
        const double apart = std::min(here, std::abs(periods[axis] - here));
        const double halves = 0.5 * (a.high[axis] - a.low[axis] + b.high[axis] - b.low[axis]);
        const double clear = std::max(apart - halves, 0.0);
        sum += clear * clear;
    }
    return sum;
}

// The largest difference of two velocities, along each axis.
inline Vec3<double> relative_velocity(const Extent& a, const Extent& b) {
    Vec3<double> most;
    for (std::size_t axis = 0; axis < 3; ++axis)
        most[axis] = std::max(a.high[axis] - b.low[axis], b.high[axis] - a.low[axis]);
    return most;
}

// True if surely no signal arrives within this time: a bound that takes no roots, and decides most often.
bool arrives_after(double time, const SignalSource& target, const SignalSource& source, const Vec3<double>& periods) {
    const Vec3<double> apart = relative_velocity(target.velocities, source.velocities);
    const double way =
        time * (target.speed + source.speed + apart.x + apart.y + apart.z) + std::max(target.reach, source.reach);
    return squared_gap(target.bounds, source.bounds, periods) > way * way;
}

}  // namespace

Vec3<double> periods_of(const Region& region) {
    Vec3<double> periods;
    for (std::size_t axis = 0; axis < 3; ++axis)
        periods[axis] =
            region.periodic(axis) ? region.high[axis] - region.low[axis] : std::numeric_limits<double>::infinity();
    return periods;
}

double step_before_arrival(const SignalSource& target, const SignalSource& source, const Vec3<double>& periods) {
    const double near = neighbour_ratio * source.shortest;
    const double apart = squared_gap(target.bounds, source.bounds, periods);
    const double reach = std::max(target.reach, source.reach);
    if (apart <= reach * reach) return near;
    const Vec3<double> velocity = relative_velocity(target.velocities, source.velocities);
    return near + (std::sqrt(apart) - reach) / (target.speed + source.speed + std::sqrt(dot(velocity, velocity)));
}

SignalArrival::SignalArrival(const Neighbourhood& lists, const ParticleSet& particles)
    : lists_(lists),
      periods_(periods_of(particles.region())),
      positions_(particles[position]),
      velocities_(particles[velocity]),
      lengths_(particles[smoothing_length]),
      signal_speeds_(particles[signal_speed]),
      steps_(particles[signal_step]),
      blocks_(lists.tree().block_count()),
      cells_(lists.tree().cells().size()) {
    const auto cells = lists.tree().cells();
    const auto leaves = lists.tree().leaves();
    parallel_for(leaves.size(), [&](std::size_t k) {
        const Cell& leaf = cells[leaves[k]];
        SignalSource* blocks = &blocks_[lists.tree().first_block(leaves[k])];
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(leaf.count); ++b) {
            const std::uint32_t first = b * SearchTree::block_size;
            blocks[b] = source_of(leaf.first + first, std::min(SearchTree::block_size, leaf.count - first));
            cells_[leaves[k]] = b == 0 ? blocks[0] : joined(cells_[leaves[k]], blocks[b]);
        }
    });
    for (std::size_t cell = cells.size(); cell-- > 0;)  // children come after their cell
        if (!cells[cell].is_leaf()) cells_[cell] = joined(cells_[cells[cell].child], cells_[cells[cell].child + 1]);
    if (lists.ranks() != nullptr) gather_elsewhere(*lists.ranks()->comm);
}

// At least one particle. (Joining sources of single rows would take twice the time.)
SignalSource SignalArrival::source_of(std::uint32_t first, std::uint32_t count) const {
    const auto order = lists_.tree().order().subspan(first, count);
    SignalSource all = source_at(order[0]);
    for (const std::uint32_t row : order.subspan(1)) {
        const Vec3<double>&x = positions_[row], &v = velocities_[row];
        all.bounds = join(all.bounds, {x, x});
        all.velocities = join(all.velocities, {v, v});
        all.shortest = std::min(all.shortest, steps_[row]);
        all.speed = std::max(all.speed, 0.5 * signal_speeds_[row]);
        all.reach = std::max(all.reach, lengths_[row]);
    }
    return all;
}

SignalSource SignalArrival::source_at(std::uint32_t row) const {
    const Vec3<double>&x = positions_[row], &v = velocities_[row];
    return {{x, x}, {v, v}, steps_[row], 0.5 * signal_speeds_[row], lengths_[row]};
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
    sources.reserve(chosen.size());
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

void SignalArrival::lower_steps(ParticleSet& particles, std::span<const std::uint8_t> rows) const {
    const auto leaves = lists_.tree().leaves();
    const auto steps = particles[signal_step];
    parallel_tasks(leaves.size(), [&](std::size_t k, int) {
        const Cell& leaf = lists_.tree().cells()[leaves[k]];
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(leaf.count); ++b)
            lower_block(leaf, b, blocks_of(leaves[k])[b], rows, steps);
    });
}

std::span<const SignalSource> SignalArrival::blocks_of(std::uint32_t leaf) const {
    const SearchTree& tree = lists_.tree();
    return std::span(blocks_).subspan(tree.first_block(leaf), SearchTree::blocks_of(tree.cells()[leaf].count));
}

void SignalArrival::lower_block(const Cell& leaf, std::uint32_t block, const SignalSource& all,
                                std::span<const std::uint8_t> rows, std::span<double> steps) const {
    const std::uint32_t first = block * SearchTree::block_size;
    Target target{all};
    for (std::uint32_t k = first; k < std::min(first + SearchTree::block_size, leaf.count); ++k)
        if (const std::uint32_t row = lists_.tree().order()[leaf.first + k]; rows.empty() || rows[row] != 0) {
            target.rows[target.count++] = row;
            target.longest = std::max(target.longest, steps[row]);
        }
    for (const SignalSource& source : elsewhere_)
        if (allowed_by(target, source) < target.longest) lower_by(target, source, steps);
    if (allowed_by(target, cells_[0]) < target.longest) lower_by_cell(target, 0, steps);
}

// At least the longest step of the target where signals of the source are no limit.
double SignalArrival::allowed_by(const Target& target, const SignalSource& source) const {
    const double at_once = neighbour_ratio * source.shortest, later = target.longest - at_once;
    if (later <= 0 || arrives_after(later, target.all, source, periods_)) return target.longest;
    return step_before_arrival(target.all, source, periods_);
}

// Lowers steps by the signals of the particles in a cell that may shorten one, the nearer half of them first.
void SignalArrival::lower_by_cell(Target& target, std::uint32_t cell, std::span<double> steps) const {
    const Cell& here = lists_.tree().cells()[cell];
    if (here.is_leaf()) {
        for (const SignalSource& block : blocks_of(cell))
            if (allowed_by(target, block) < target.longest) lower_by(target, block, steps);
        return;
    }
    std::array<std::pair<double, std::uint32_t>, 2> halves;
    for (std::uint32_t k = 0; k < 2; ++k) halves[k] = {allowed_by(target, cells_[here.child + k]), here.child + k};
    if (halves[1].first < halves[0].first) std::swap(halves[0], halves[1]);
    for (const auto& [allowed, half] : halves)
        if (allowed < target.longest) lower_by_cell(target, half, steps);
}

void SignalArrival::lower_by(Target& target, const SignalSource& source, std::span<double> steps) const {
    target.longest = 0;
    for (const std::uint32_t row : std::span(target.rows).first(target.count)) {
        if (neighbour_ratio * source.shortest < steps[row])
            steps[row] = std::min(steps[row], step_before_arrival(source_at(row), source, periods_));
        target.longest = std::max(target.longest, steps[row]);
    }
}

}  // namespace trellis
