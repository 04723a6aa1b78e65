// Switches: the strength of a particle's artificial viscosity, from the flow around it.
#pragma once

#include <algorithm>
#include <cmath>

namespace trellis {

// The flow around a particle.
struct FlowState {
    double h = 0;  // radius of the kernel's support
    double divergence = 0;
    double divergence_rate = 0;  // its time derivative, along the particle's path
    double curl = 0;             // magnitude
    double sound_speed = 0;
    double signal_speed = 0;  // of Hydro: twice the speed of sound in a gas at rest
};

// Balsara's limiter (1995): near 1 where gas is compressed, near 0 where it shears.
inline double balsara(const FlowState& flow) {
    const double compression = std::abs(flow.divergence);
    const double all = compression + flow.curl + 1e-4 * flow.sound_speed / flow.h;
    return all > 0 ? compression / all : 1;
}

// Each switch returns alpha after a time step from alpha before it, and has the largest alpha as a member.
struct ConstantViscosity {
    double alpha = 1;

    double strength() const { return alpha; }
    double operator()(double, const FlowState& flow, double) const { return alpha * balsara(flow); }
};

// Morris & Monaghan (1997): alpha grows where gas is compressed and decays over the time in which sound crosses the
// kernel a few times. Bounded as by Rosswog et al. (2000): dalpha/dt = -(alpha - lowest) / tau + (highest - alpha)
// max(-div v, 0), solved for constant coefficients.
struct MorrisMonaghanViscosity {
    double lowest = 0.1, highest = 1;
    double decay = 0.2;  // tau = h / (2 decay c)

    double strength() const { return highest; }
    double operator()(double alpha, const FlowState& flow, double dt) const {
        const double fall = 2 * decay * flow.sound_speed / flow.h;
        const double rise = balsara(flow) * std::max(-flow.divergence, 0.0);
        if (fall + rise == 0) return std::max(alpha, lowest);
        const double end = (fall * lowest + rise * highest) / (fall + rise), begin = std::max(alpha, lowest);
        return end + (begin - end) * std::exp(-(fall + rise) * dt);
    }
};

// Cullen & Dehnen (2010): alpha is what a shock needs as soon as the compression gets faster, before the gas is in the
// shock, and decays to nothing behind it. Shear is recognised by the curl, as by Price et al. (2018, section 2.2.9).
struct CullenDehnenViscosity {
    double highest = 2;
    double decay = 0.05;  // tau = h / (2 decay v)

    double strength() const { return highest; }
    double operator()(double alpha, const FlowState& flow, double dt) const {
        const double speed = flow.signal_speed / 2;
        const double shock = flow.h * flow.h * limiter(flow) * std::max(-flow.divergence_rate, 0.0);
        const double needed = shock > 0 ? highest * shock / (shock + speed * speed) : 0;
        return needed + std::max(alpha - needed, 0.0) * std::exp(-2 * decay * speed / flow.h * dt);
    }

  private:
    // Only gas that is being compressed can be on its way into a shock.
    static double limiter(const FlowState& flow) {
        const double compression = std::max(-flow.divergence, 0.0), square = compression * compression;
        return square > 0 ? square / (square + flow.curl * flow.curl) : 0;
    }
};

}  // namespace trellis
