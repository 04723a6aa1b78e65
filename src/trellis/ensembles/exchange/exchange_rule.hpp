// The rule by which two replicas exchange their states.
#pragma once

#include <cmath>

namespace trellis {

// A state of k T = t. own: the energy U + P V, by Hamiltonian and pressure of this state, of the replica that has it;
// other: of the other replica.
struct ExchangingState {
    double t, own, other;
};

// True with the probability min{1, exp[u_i(x_i) + u_j(x_j) - u_i(x_j) - u_j(x_i)]}, where u = (U + P V) / k T, U is a
// state's potential energy of all particles, and uniform() returns a number of [0, 1): the canonical distributions of
// both states are preserved (Sugita, Kitao & Okamoto 2000, equation 8; with pressures Okabe et al. 2001). The exponent
// is written so that its second term is exactly 0 for two temperatures of one Hamiltonian. An infinite energy is
// refused.
template <class Uniform>
bool exchange_accepted(const ExchangingState& i, const ExchangingState& j, Uniform&& uniform) {
    const double from_i = i.own - i.other, from_j = j.own - j.other;
    const double exponent = (1 / i.t - 1 / j.t) * from_i + (from_i + from_j) / j.t;
    return exponent >= 0 || uniform() < std::exp(exponent);
}

}  // namespace trellis
