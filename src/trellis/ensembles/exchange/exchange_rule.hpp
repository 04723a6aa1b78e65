// The rule by which two replicas exchange their states.
#pragma once

#include <cmath>

namespace trellis {

// A state of k T = t, in which the replica that has the state has the energy `own`, the other one `other`: U + P V, by
// Hamiltonian and pressure of the state.
struct ExchangingState {
    double t, own, other;
};

// True with the probability min{1, exp[u_i(x_i) + u_j(x_j) - u_i(x_j) - u_j(x_i)]}, where u = (U + P V) / k T, U is a
// state's potential energy of all particles, and uniform() is a number of [0, 1): so the canonical distributions of
// both states stay as they are (Sugita, Kitao & Okamoto 2000, equation 8; with pressures Okabe et al. 2001). The
// exponent is written so that its second term is exactly 0 for two temperatures of one Hamiltonian. An infinite energy
// is refused.
template <class Uniform>
bool exchange_accepted(const ExchangingState& i, const ExchangingState& j, Uniform&& uniform) {
    const double from_i = i.own - i.other, from_j = j.own - j.other;
    const double exponent = (1 / i.t - 1 / j.t) * from_i + (from_i + from_j) / j.t;
    return exponent >= 0 || uniform() < std::exp(exponent);
}

}  // namespace trellis
