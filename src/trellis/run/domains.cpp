#include "trellis/run/domains.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"
#include "trellis/ranks/domain/exchange_particles.hpp"
#include "trellis/ranks/domain/identities.hpp"
#include "trellis/ranks/domain/same_particles.hpp"

namespace trellis {

using namespace fields;

namespace {

// The shape of the slabs of a site, whose ranks begin with `first` of all. Its slabs may be in another order, which
// makes no difference to a tree over them; those of a checkpoint on other sites need not begin with it.
Shape shape_of_site(const Shape& all, int first, int ranks) {
    const int slabs = all.slab_of(first + ranks - 1) + 1 - all.slab_of(first);
    return {ranks, slabs, std::min(all.columns, ranks / slabs)};
}

}  // namespace

void Domains::part_sites() {
    if (!comm().spans_sites()) return;
    on_site_.comm = own_site(ranks_.comm);
    if (balance_.decision()) set_shape(balance_.decision()->shape());
}

void Domains::set_shape(const Shape& shape) {
    ranks_.domains = domain_tree(shape);
    if (on_site_.comm == nullptr) return;
    const int first = comm().rank() - site().rank();
    on_site_.domains = domain_tree(shape_of_site(shape, first, site().size()));
}

double Domains::imbalance() const { return costs_.sum > 0 ? costs_.most * comm().size() / costs_.sum : 0; }

void Domains::distribute(ParticleSet& particles, Phases& phases) {
    if (alone()) return;
    particles.check_finite(Position::name);
    if (const Multisection* lasting = lasting_cuts()) {
        send(particles, *lasting, phases);
        if (lasting->region() == particles.region()) return;  // the same on all ranks: send has compared their regions
    }
    send(particles, cut_again(particles, phases), phases);
}

const Multisection* Domains::lasting_cuts() const {
    const std::optional<Multisection>& last = balance_.decision();
    const double now = imbalance();
    return last && now > 0 && now <= even_enough ? &*last : nullptr;
}

const Multisection& Domains::cut_again(const ParticleSet& particles, Phases& phases) {
    const PhaseTimer timer(phases, Phase::decompose_domain);
    const TrafficScope samples(comm(), TrafficClass::samples);
    check_same_region(all_reduce(comm(), regions_of(comm(), particles),
                                 [](const RankRegions& low, const RankRegions& high) { return joined(low, high); }));
    if (!balance_.decision()) check_identities(comm(), particles);
    const Multisection& cuts = balance_.decide(comm(), particles, costs_.own);
    set_shape(cuts.shape());
    return cuts;
}

void Domains::send(ParticleSet& particles, const Multisection& cuts, Phases& phases) {
    std::vector<int> owner(particles.size());
    {
        const PhaseTimer timer(phases, Phase::decompose_domain);
        const auto x = particles[position];
        const Extent here = cuts.domain(comm().rank());
        const auto is_here = [&](const Vec3<double>& at) {  // true for most particles, and quicker than owner
            return at.x >= here.low.x && at.x < here.high.x && at.y >= here.low.y && at.y < here.high.y &&
                   at.z >= here.low.z && at.z < here.high.z;
        };
        parallel_for(owner.size(),
                     [&](std::size_t row) { owner[row] = is_here(x[row]) ? comm().rank() : cuts.owner(x[row]); });
    }
    const PhaseTimer timer(phases, Phase::exchange_particles);
    const TrafficScope migration(comm(), TrafficClass::migration);
    exchange_particles(comm(), particles, owner, arrival_);
}

DomainState Domains::state() const {
    if (!balance_.decision()) return {};
    DomainState state = balance_.state();
    for (const double cost : {costs_.own, costs_.sum, costs_.most}) state.own.push_back(cost);
    return state;
}

bool Domains::restore(const DomainState& state) {
    if (state.empty()) return false;
    if (state.own.size() != 4)
        throw InputError("the state of a domain has " + std::to_string(state.own.size()) +
                         " values of its own: allowed is what state() gave");
    Balance restored;
    restored.restore(state);
    const std::optional<Multisection> decision = restored.decision();
    if (!decision || decision->shape().ranks != comm().size()) return false;
    set_shape(decision->shape());
    balance_ = std::move(restored);
    costs_ = {state.own[1], state.own[2], state.own[3]};
    return true;
}

}  // namespace trellis
