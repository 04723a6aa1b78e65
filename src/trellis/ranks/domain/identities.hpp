// Checks that each particle is on exactly one rank, at the start of a run and after each exchange.
#pragma once

#include <cstdint>
#include <functional>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"

namespace trellis {

// Numbers whose sum over all ranks stays the same when particles change ranks.
struct Identities {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;    // the sum of the ids modulo 2^64
    std::uint64_t xored = 0;  // their exclusive or

    friend bool operator==(const Identities&, const Identities&) = default;
    friend Identities operator+(const Identities& a, const Identities& b) {
        return {a.count + b.count, a.sum + b.sum, a.xored ^ b.xored};
    }
};

Identities identities_of(const ParticleSet& particles);

// Throws RunError unless both are the same; the message says how many particles were lost, doubled or changed.
void check_unchanged(const Identities& before, const Identities& after);

// The check after each exchange. On one site begin makes it. Between sites no rank waits for it: the numbers of all
// ranks travel with the next messages between sites.
class ArrivalCheck {
  public:
    // After an exchange; collective. before: the sum over all ranks, after: this rank's. On one site throws as finish
    // does.
    void begin(Comm& comm, const Identities& before, const Identities& after);
    // Collective; every exchange begun since begin is finished. Throws RunError on all ranks if any particle was lost
    // or doubled.
    void finish();

  private:
    DeferredReduction<Identities> after_{std::plus{}};
    Identities before_;
};

// The check at the start of a run. Throws the same InputError on every rank, naming the lowest id that occurs twice.
void check_identities(Comm& comm, const ParticleSet& particles);

}  // namespace trellis
