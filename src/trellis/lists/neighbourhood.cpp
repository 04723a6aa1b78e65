#include "trellis/lists/neighbourhood.hpp"

#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/collective.hpp"

namespace trellis {

namespace {

struct Displacements {
    Vec3<double> sum{0, 0, 0};
    double count = 0;
};

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace

Neighbourhood::Neighbourhood(Search search, double skin, std::uint32_t group_size)
    : search_(search), skin_(skin), group_size_(group_size) {}

void Neighbourhood::build(const ParticleSet& particles, std::string_view positions, const Radii& radii,
                          const Ranks* ranks, Phases& phases) {
    ranks_ = ranks;
    const auto* values = reinterpret_cast<const Vec3<double>*>(particles.column(positions).values());
    positions_.assign(values, values + particles.size());
    radii_.resize(particles.size());
    parallel_for(radii_.size(), [&](std::size_t row) { radii_[row] = radii[row]; });
    tree_.build(positions_, Radii(radii_), group_size_, phases);
    if (ranks_ != nullptr) {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        ghosts_.find(*ranks_->comm, tree_, search_, skin_, particles.region());
        Phases counted_as_exchange;
        ghost_tree_.build(ghosts_.positions(), Radii(ghosts_.radii()), group_size_, counted_as_exchange);
    }
    lists_.make(tree_, ghost_tree_, search_, skin_, particles.region(), phases);
}

// A pair that is not listed was at least (1 + skin) times its reach apart. Each of the two has come nearer by its displacement at most, relative to
// what all have moved; so none is missing if each particle's reach, with its own displacement and the largest of all, is below (1 + skin) times the
// reach that it had.
bool Neighbourhood::holds(const ParticleSet& particles, const Radii& radii, Phases& phases) const {
    const PhaseTimer timer(phases, Phase::check_lists);
    const auto now = particles[position];
    const auto joined = [](Displacements a, const Displacements& b) {
        a.sum += b.sum;
        a.count += b.count;
        return a;
    };
    Displacements all = parallel_reduce(
        now.size(), Displacements{},
        [&](std::size_t begin, std::size_t end) {
            Displacements some;
            for (std::size_t row = begin; row < end; ++row) some.sum += now[row] - positions_[row];
            some.count = static_cast<double>(end - begin);
            return some;
        },
        joined);
    if (ranks_ != nullptr) all = all_reduce(*ranks_->comm, all, joined);
    const Vec3<double> common = all.count > 0 ? all.sum / all.count : Vec3<double>{0, 0, 0};
    const auto moved = [&](std::size_t row) { return norm(now[row] - positions_[row] - common); };
    const auto larger = [](double a, double b) { return a < b ? b : a; };
    double most = parallel_reduce(
        now.size(), 0.0,
        [&](std::size_t begin, std::size_t end) {
            double some = 0;
            for (std::size_t row = begin; row < end; ++row) some = larger(some, moved(row));
            return some;
        },
        larger);
    if (ranks_ != nullptr) most = all_reduce(*ranks_->comm, most, larger);
    const auto excess = parallel_reduce(
        now.size(), 0.0,
        [&](std::size_t begin, std::size_t end) {
            double some = 0;
            for (std::size_t row = begin; row < end; ++row)
                some = larger(some, radii[row] + moved(row) + most - (1 + skin_) * radii_[row]);
            return some;
        },
        larger);
    return !(ranks_ == nullptr ? excess > 0 : any_rank(*ranks_->comm, excess > 0));
}

bool Neighbourhood::meets_ghosts(std::size_t group) const {
    const auto& ranges = lists_.groups()[group].ranges;
    return !ranges.empty() && ranges.back().first >= tree_.size();  // ghosts come last
}

std::unique_ptr<Exchange> Neighbourhood::begin_ghosts(const SortedColumns& columns, std::size_t components) const {
    return ranks_ == nullptr ? nullptr : ghosts_.begin(*ranks_->comm, columns, components);
}

void Neighbourhood::finish_ghosts(Exchange& exchange, std::size_t components, SortedColumns& columns) const {
    auto ghosts = Ghosts::finish(exchange, components);
    const auto order = ghost_tree_.order();
    std::vector<double> as_received;
    for (auto& values : ghosts) {
        as_received.swap(values);
        values.resize(order.size());
        for (std::size_t slot = 0; slot < order.size(); ++slot) values[slot] = as_received[order[slot]];
    }
    columns.append(ghosts);
}

}  // namespace trellis
