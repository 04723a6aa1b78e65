// The order of the particles' rows: the rank that has each particle, and rows near in space near in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/run/domains.hpp"

namespace trellis {

class RowOrder {
  public:
    // keep: a rank alone does not sort rows.
    void keep(bool keep) { keep_ = keep; }

    // At steps that reuse no lists: wraps positions into a periodic box (lists refer to images by former positions),
    // sends particles to their ranks, and sorts rows. number: of the step. may_reuse: false if all lists are rebuilt.
    // Positions far outside the box are wrapped at any step. Returns true if no lists may be reused, since rows may
    // have moved or positions were wrapped. Collective.
    bool arrange(ParticleSet& particles, std::span<const std::shared_ptr<Force>> forces, Domains& domains,
                 std::uint64_t number, bool may_reuse, Phases& phases) const;

  private:
    bool keep_ = false;
};

}  // namespace trellis
