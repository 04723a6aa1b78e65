#include "trellis/run/domains.hpp"

#include <optional>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/identities.hpp"
#include "trellis/ranks/same_region.hpp"

namespace trellis {

void Domains::distribute(ParticleSet& particles, Phases& phases) {
    if (alone()) return;
    std::vector<int> owner(particles.size());
    {
        const PhaseTimer timer(phases, Phase::decompose_domain);
        particles.check_finite(Position::name);
        check_same_region(comm(), particles);
        if (!balance_.decision()) check_identities(comm(), particles);
        const Multisection& cuts = balance_.decide(comm(), particles, cost_);
        const auto places = particles[position];
        const Extent here = cuts.domain(comm().rank());
        const auto is_here = [&](const Vec3<double>& at) {  // most are, and this is sooner known
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

std::vector<double> Domains::state() const {
    if (!balance_.decision()) return {};
    std::vector<double> state = balance_.state();
    state.insert(state.begin(), cost_);
    return state;
}

bool Domains::restore(std::span<const double> state) {
    if (state.empty()) return false;
    Balance restored;
    restored.restore(state.subspan(1));
    const std::optional<Multisection> decision = restored.decision();
    if (!decision || decision->shape().ranks != comm().size()) return false;
    ranks_.domains = domain_tree(decision->shape());
    balance_ = std::move(restored);
    cost_ = state[0];
    return true;
}

}  // namespace trellis
