// The parameters of individual time steps in Python.
#pragma once

struct IndividualStepsSettings {
    void check() const {}  // its parameters have their limits

    double longest = 0;  // above 0; in ln a where space expands
    double eta = 0.025;  // see HierarchicalSteps
};
