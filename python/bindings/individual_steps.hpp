// The parameters of individual time steps in Python.
#pragma once

#include <cstdint>

#include "trellis/integrate/rungs/hierarchical_steps.hpp"

// By what gravity limits the steps of particles.
enum class StepCriterion {
    acceleration,  // and softening
    encounters,    // the same, and pairs that come near each other
    tidal          // its tidal field
};

struct IndividualStepsSettings {
    void check() const { trellis::HierarchicalSteps(eta, order); }

    double longest = 0;  // above 0; in ln a where space expands
    double eta = 0.025;  // see HierarchicalSteps
    StepCriterion criterion = StepCriterion::acceleration;
    std::uint32_t order = 2;  // or 4
};
