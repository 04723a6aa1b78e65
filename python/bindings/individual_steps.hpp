// The parameters of individual time steps in Python.
#pragma once

// By what gravity limits the steps of particles.
enum class StepCriterion {
    acceleration,  // and softening
    tidal          // its tidal field
};

struct IndividualStepsSettings {
    void check() const {}  // its parameters have their limits

    double longest = 0;  // above 0; in ln a where space expands
    double eta = 0.025;  // see HierarchicalSteps
    StepCriterion criterion = StepCriterion::acceleration;
};
