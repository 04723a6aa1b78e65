#include "trellis/ranks/domain/balance.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

struct Load {
    double particles, weight;  // weight of each particle; 0: unknown
};

// Sets unknown weights to the mean of the known ones, or to 1.
void complete(std::vector<Load>& loads) {
    double particles = 0, work = 0;
    for (const Load& load : loads)
        if (load.weight > 0) particles += load.particles, work += load.particles * load.weight;
    const double mean = particles > 0 ? work / particles : 1;
    for (Load& load : loads)
        if (!(load.weight > 0)) load.weight = mean;
}

template <class T>
std::vector<std::byte> as_message(const std::vector<T>& values) {
    ByteWriter out;
    out.put_counted(std::span<const T>(values));
    return out.take();
}

// The samples of all ranks in the order of the ranks, on the first rank of each site; empty on other ranks.
std::vector<Sample> gathered(Comm& comm, const std::vector<Sample>& own) {
    std::vector<Message> messages;
    if (!own.empty())
        for (const int first : comm.site_begins()) messages.push_back({first, as_message(own)});
    std::vector<Sample> samples;
    for (const Message& message : comm.begin_exchange(std::move(messages))->finish()) {
        const auto some = ByteReader(message.bytes).get_counted<Sample>();
        samples.insert(samples.end(), some.begin(), some.end());
    }
    return samples;
}

}  // namespace

const Multisection& Balance::decide(Comm& comm, const ParticleSet& particles, double cost) {
    // The cost before the first distribution, of particles at random ranks, is no measurement.
    if (decision_) weigh(particles.size(), cost);
    std::vector<Sample> samples = gathered(comm, own_samples(comm, particles));
    // Each site makes the same cuts from the same samples: receiving them from the first site would take one more hop.
    std::vector<std::byte> cuts;
    if (std::ranges::binary_search(comm.site_begins(), comm.rank()))
        cuts = as_message(next(comm, std::move(samples), particles.region()).values());
    cuts = broadcast_on_site(comm, std::move(cuts));
    return decision_.emplace(ByteReader(cuts).get_counted<double>());
}

void Balance::weigh(std::size_t particles, double cost) {
    if (particles == 0) {
        weight_ = 0;
    } else if (cost > 0 && std::isfinite(cost)) {
        const double measured = cost / static_cast<double>(particles);
        weight_ = weight_ > 0 ? weight_ + newest * (measured - weight_) : measured;
    }
}

// Draws samples in proportion to this rank's share of the work of all ranks.
std::vector<Sample> Balance::own_samples(Comm& comm, const ParticleSet& particles) const {
    auto loads = all_gather(comm, Load{static_cast<double>(particles.size()), weight_});
    complete(loads);
    double all_work = 0;
    for (const Load& load : loads) all_work += load.particles * load.weight;
    const Load& own = loads[static_cast<std::size_t>(comm.rank())];
    const double work = own.particles * own.weight;
    if (!(work > 0)) return {};
    const double all_samples = std::min(samples_per_rank * comm.size(), most_samples);
    return sample(particles[position], particles.region(),
                  static_cast<std::size_t>(std::ceil(all_samples * (work / all_work))), work);
}

Multisection Balance::next(const Comm& comm, std::vector<Sample> samples, const Region& region) const {
    const Vec3<double> sides = spread(samples);
    const auto sites = comm.site_begins();
    const Shape best = best_shape(comm.size(), sides, sites);
    const bool keep = decision_ && decision_->shape().ranks == comm.size() && decision_->region() == region &&
                      slabs_begin_at(decision_->shape(), sites) &&
                      surface(decision_->shape(), sides) <= worth_changing * surface(best, sides);
    return keep ? move_cuts(*decision_, std::move(samples), most_move) : cut(std::move(samples), best, region);
}

DomainState Balance::state() const { return {{weight_}, decision_ ? decision_->values() : std::vector<double>{}}; }

void Balance::restore(const DomainState& state) {
    if (state.own.empty() || !(state.own[0] >= 0))
        throw InputError("the state of a balance begins with the weight of a particle: allowed is what state() gave");
    std::optional<Multisection> decision;
    if (!state.cuts.empty()) decision.emplace(state.cuts);
    weight_ = state.own[0];
    decision_ = std::move(decision);
}

}  // namespace trellis
