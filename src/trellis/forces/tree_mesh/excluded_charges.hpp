// Pairs of charges that do not act on each other, or by a factor: what Coulomb's force has counted too much is taken
// back. A mesh cannot leave pairs out.
#pragma once

#include <span>

#include "trellis/forces/bonded/bonded_force.hpp"
#include "trellis/lists/neighbours/exclusions.hpp"

namespace trellis {

// For each pair the energy (factor - 1) coupling q_1 q_2 / sqrt(r^2 + softening^2) of nearest images; q: the field
// `charge`; softening, coupling: those of the force. Throws InputError for pairs as Exclusions does.
TuplePotential excluded_charges(std::span<const ExcludedPair> pairs, double softening, double coupling);

class ExcludedCharges final : public BondedForce {
  public:
    ExcludedCharges(std::span<const ExcludedPair> pairs, double softening, double coupling)
        : BondedForce(excluded_charges(pairs, softening, coupling)) {}

    bool counts_for_accuracy() const override { return true; }
};

}  // namespace trellis
