// The equations of a chain of Nose-Hoover thermostats, for one set of particles or for many.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "trellis/base/vec.hpp"

namespace trellis {

// A chain over arrays of the caller: position and rate of each member, of equal length, at least 1. freedom: degrees of
// freedom N_f of the particles; temperature: k T, an energy; relaxation_time sets the masses Q_1 = N_f k T
// relaxation_time^2, Q_k = k T relaxation_time^2. Number: double, or const double for a chain that is only read.
template <class Number>
struct NoseHooverChain {
    double freedom, temperature, relaxation_time;
    std::span<Number> position, rate;

    // Advances the chain over `time`, by the explicit reversible scheme of Martyna et al. (1996) with three
    // Yoshida-Suzuki steps. kinetic: the kinetic energy of the particles. Returns the factor that scales their
    // velocities.
    TRELLIS_HOST_DEVICE double advance(double time, double kinetic) const {
        // Shares of a step that make a second-order scheme one of fourth order (Yoshida 1990, Suzuki 1991).
        const double outer_share = 1 / (2 - std::cbrt(2.0));
        double factor = 1;
        for (const double share : {outer_share, 1 - 2 * outer_share, outer_share}) {
            const double step = share * time;
            for (std::size_t k = rate.size(); k-- > 0;) accelerate(k, step, factor * factor * kinetic);
            factor *= std::exp(-step * rate[0]);
            for (std::size_t k = 0; k < rate.size(); ++k) position[k] += step * rate[k];
            for (std::size_t k = 0; k < rate.size(); ++k) accelerate(k, step, factor * factor * kinetic);
        }
        return factor;
    }

    // sum Q_k rate_k^2 / 2 + N_f k T position_1 + k T sum position_k, k > 1
    TRELLIS_HOST_DEVICE double energy() const {
        double sum = 0;
        for (std::size_t k = 0; k < rate.size(); ++k)
            sum += 0.5 * inertia(k) * rate[k] * rate[k] + freedom_of(k) * temperature * position[k];
        return sum;
    }

  private:
    TRELLIS_HOST_DEVICE double freedom_of(std::size_t k) const { return k == 0 ? freedom : 1; }
    TRELLIS_HOST_DEVICE double inertia(std::size_t k) const {
        return freedom_of(k) * temperature * relaxation_time * relaxation_time;
    }

    // The time derivative of member k's rate, without the friction that the next member exerts.
    TRELLIS_HOST_DEVICE double pull(std::size_t k, double kinetic) const {
        const double excess =
            k == 0 ? 2 * kinetic - freedom * temperature : inertia(k - 1) * rate[k - 1] * rate[k - 1] - temperature;
        return excess / inertia(k);
    }

    TRELLIS_HOST_DEVICE void accelerate(std::size_t k, double step, double kinetic) const {
        const double friction = k + 1 < rate.size() ? std::exp(-0.25 * step * rate[k + 1]) : 1;
        rate[k] = (rate[k] * friction + 0.5 * step * pull(k, kinetic)) * friction;
    }
};

}  // namespace trellis
