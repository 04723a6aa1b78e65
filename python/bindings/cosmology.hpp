// A cosmology in Python: the background, and fluctuations for initial conditions.
#pragma once

#include "trellis/integrate/comoving/cosmology.hpp"

struct CosmologySettings final : trellis::Cosmology {
    // Throws InputError if a value is out of its range.
    void check() const;
    // The same with a value of omega_lambda, if it is not given.
    CosmologySettings in_use() const;

    double omega_b = 0, h = 0, sigma_8 = 0, A_s = 0, n_s = 0;  // 0: not given
};
