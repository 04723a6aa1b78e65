#include "trellis/forces/short_range/async_neighbour_lists.hpp"

#include "trellis/forces/device_failure.hpp"

namespace trellis {

void AsyncNeighbourLists::ask(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, std::uint64_t step,
                              Phases& phases) {
    drop();
    neighbourhood_.arrange(particles, Position::name, radii, ranks, phases);
    share_failure(ranks, device_failure_of([&] {
                      if (request_ != nullptr)
                          request_->send(neighbourhood_.tree(), neighbourhood_.ghost_tree(), neighbourhood_.search(),
                                         neighbourhood_.skin(), particles.region(), phases);
                  }));
    asked_ = request_ != nullptr;
    step_ = step;
    arrangement_ = particles.arrangement();
}

bool AsyncNeighbourLists::ready(const ParticleSet& particles, std::uint64_t step) {
    const bool right =
        step_ == step && neighbourhood_.size() == particles.size() && arrangement_ == particles.arrangement();
    if (!right) drop();
    return right;
}

void AsyncNeighbourLists::take(Neighbourhood& neighbourhood, const ParticleSet& particles, Phases& phases) {
    drop();
    share_failure(neighbourhood_.ranks(), device_failure_of([&] {
                      if (!asked_) return neighbourhood_.make_lists(particles.region(), phases);
                      neighbourhood_.take_lists(request_->receive(phases));
                      times_ += request_->take_times();
                  }));
    std::swap(neighbourhood, neighbourhood_);
}

bool AsyncNeighbourLists::drop_list_device(std::string_view device) {
    if (request_ == nullptr || request_->device().name() != device) return false;
    drop();
    asked_ = false;
    request_.reset();
    return true;
}

}  // namespace trellis
