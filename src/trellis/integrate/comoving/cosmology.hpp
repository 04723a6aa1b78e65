// The background of an expanding space: Hubble rate, times, and the factors of kicks and drifts.
#pragma once

#include <optional>

namespace trellis {

// Matter, radiation, curvature and dark energy of w(a) = w0 + wa (1 - a) (Chevallier & Polarski 2001). The scale factor
// a is 1 today; all other quantities are in the units of the run, times in that of 1 / H0. Integrals are good to 1e-12.
struct Cosmology {
    // Densities today over the critical density: matter, dark energy (if empty, space is flat), radiation.
    double omega_m = 0.3;
    std::optional<double> omega_lambda = {};
    double omega_r = 0;
    double w0 = -1, wa = 0;  // equation of state of dark energy
    double H0 = 0.1;         // Hubble constant, 1 / time: 0.1 in Gadget's units (kpc/h, km/s)

    // Throws InputError if a value is out of its range, or space did not always expand until a = 1.
    void check() const;

    double dark_energy() const;  // omega_lambda, also where it is not given
    double curvature() const;    // omega_k = 1 - omega_m - omega_r - omega_lambda

    // The Hubble rate, da/dt / a. This and all members below throw InputError unless a > 0, and where space has ceased
    // to expand.
    double hubble(double a) const;
    // d ln H / d ln a
    double hubble_slope(double a) const;
    // The density of matter over the critical one at that time.
    double matter_share(double a) const;
    // The mean density of matter in comoving coordinates, which is that of today. G: the gravitational constant.
    double mean_density(double G) const;

    // The integrals of dt / a and dt / a^2 (Quinn et al. 1997) between two scale factors, in either order. With
    // comoving positions x and canonical momenta p = a^2 dx/dt, under the comoving force g of G m / x^2: p changes by g
    // times the first, x by p times the second.
    double kick_factor(double begin, double end) const;
    double drift_factor(double begin, double end) const;

    // The time since a = 0, and the scale factor at a time > 0; if space ceases to expand, the one before it does.
    double time(double a) const;
    double scale_factor(double time) const;

  private:
    // The integral of dt / a^power.
    double time_integral(double begin, double end, int power) const;
    double dark_growth(double a) const;  // density of dark energy over that of today
};

}  // namespace trellis
