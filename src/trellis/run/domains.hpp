// Whose particles: from time to time space is cut anew, so that all ranks take equally long, and each particle goes to the rank in whose domain it is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/ranks/balance.hpp"
#include "trellis/ranks/exchange_particles.hpp"
#include "trellis/ranks/ranks.hpp"

namespace trellis {

class Domains {
  public:
    explicit Domains(std::shared_ptr<Comm> comm) : ranks_{std::move(comm), {}} {}

    Comm& comm() const { return *ranks_.comm; }
    bool alone() const { return comm().size() == 1; }
    bool distributed() const { return alone() || balance_.decision().has_value(); }
    // For the forces, once particles are distributed; none for a rank alone.
    const Ranks* ranks() const { return alone() ? nullptr : &ranks_; }

    // Collective. cost: of this rank's last forces, see Balance. Throws InputError, the first time, if an id is there twice or the ranks'
    // columns differ.
    void distribute(ParticleSet& particles, double cost, Phases& phases);

    // For a checkpoint: see Balance. A state of another number of ranks is not taken over: false.
    std::vector<double> state() const { return balance_.state(); }
    bool restore(std::span<const double> state);

  private:
    void note_shape();

    Ranks ranks_;
    Balance balance_;
};

}  // namespace trellis
