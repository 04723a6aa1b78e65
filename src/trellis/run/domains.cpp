#include "trellis/run/domains.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/identities.hpp"

namespace trellis {

void Domains::distribute(ParticleSet& particles, double cost, Phases& phases) {
    if (alone()) return;
    std::vector<int> owner(particles.size());
    {
        const PhaseTimer timer(phases, Phase::decompose_domain);
        particles.check_finite(Position::name);
        if (!balance_.decision()) check_identities(comm(), particles);
        const Multisection& cuts = balance_.decide(comm(), particles, cost);
        const auto places = particles[position];
        parallel_for(owner.size(), [&](std::size_t row) { owner[row] = cuts.owner(places[row]); });
        note_shape();
    }
    const PhaseTimer timer(phases, Phase::exchange_particles);
    exchange_particles(comm(), particles, owner);
}

bool Domains::restore(std::span<const double> state) {
    Balance restored;
    restored.restore(state);
    if (!restored.decision() || restored.decision()->shape().ranks != comm().size()) return false;
    balance_ = std::move(restored);
    note_shape();
    return true;
}

void Domains::note_shape() { ranks_.domains = domain_tree(balance_.decision()->shape()); }

}  // namespace trellis
