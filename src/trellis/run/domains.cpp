#include "trellis/run/domains.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/domain/identities.hpp"
#include "trellis/ranks/domain/same_particles.hpp"

namespace trellis {

using namespace fields;

double Domains::imbalance() const {
    Costs all = costs_;
    if (!(all.sum > 0))
        all = all_reduce(comm(), Costs{0, costs_.own, costs_.own}, [](const Costs& a, const Costs& b) {
            return Costs{0, a.sum + b.sum, std::max(a.most, b.most)};
        });
    return all.sum > 0 ? all.most * comm().size() / all.sum : 0;
}

void Domains::distribute(ParticleSet& particles, Phases& phases) {
    if (alone()) return;
    std::vector<int> owner(particles.size());
    {
        const PhaseTimer timer(phases, Phase::decompose_domain);
        particles.check_finite(Position::name);
        check_same_region(comm(), particles);
        if (!balance_.decision()) check_identities(comm(), particles);
        const Multisection* lasting = lasting_cuts(particles);
        const Multisection& cuts = lasting ? *lasting : balance_.decide(comm(), particles, costs_.own);
        const auto places = particles[position];
        const Extent here = cuts.domain(comm().rank());
        const auto is_here = [&](const Vec3<double>& at) {  // true of most, and quicker than owner
            return at.x >= here.low.x && at.x < here.high.x && at.y >= here.low.y && at.y < here.high.y &&
                   at.z >= here.low.z && at.z < here.high.z;
        };
        parallel_for(owner.size(), [&](std::size_t row) {
            owner[row] = is_here(places[row]) ? comm().rank() : cuts.owner(places[row]);
        });
        ranks_.domains = domain_tree(cuts.shape());
    }
    const PhaseTimer timer(phases, Phase::exchange_particles);
    exchange_particles(comm(), particles, owner);
}

const Multisection* Domains::lasting_cuts(const ParticleSet& particles) const {
    const std::optional<Multisection>& last = balance_.decision();
    if (!last || last->region() != particles.region()) return nullptr;
    const double now = imbalance();
    return now > 0 && now <= even_enough ? &*last : nullptr;
}

DomainState Domains::state() const {
    if (!balance_.decision()) return {};
    DomainState state = balance_.state();
    state.own.push_back(costs_.own);
    return state;
}

bool Domains::restore(const DomainState& state) {
    if (state.empty()) return false;
    if (state.own.size() != 2)
        throw InputError("the state of a domain has " + std::to_string(state.own.size()) +
                         " values of its own: allowed is what state() gave");
    Balance restored;
    restored.restore(state);
    const std::optional<Multisection> decision = restored.decision();
    if (!decision || decision->shape().ranks != comm().size()) return false;
    ranks_.domains = domain_tree(decision->shape());
    balance_ = std::move(restored);
    costs_ = {.own = state.own[1]};
    return true;
}

}  // namespace trellis
