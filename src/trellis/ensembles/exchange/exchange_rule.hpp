// The rule by which two replicas exchange their temperatures.
#pragma once

#include <cmath>

namespace trellis {

// A replica at the temperature k T = t and of the potential energy u.
struct ReplicaAt {
    double t, u;
};

// True with the probability min{1, exp[(1/t_i - 1/t_j)(u_i - u_j)]}, where uniform() is a number of [0, 1): so the
// canonical distributions of both temperatures stay as they are (Sugita & Okamoto 1999). The energies are those of all
// particles.
template <class Uniform>
bool exchange_accepted(const ReplicaAt& i, const ReplicaAt& j, Uniform&& uniform) {
    const double exponent = (1 / i.t - 1 / j.t) * (i.u - j.u);
    return exponent >= 0 || uniform() < std::exp(exponent);
}

}  // namespace trellis
