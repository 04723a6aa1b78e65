#include "trellis/integrate/comoving/cosmology.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/integrate/comoving/quadrature.hpp"

namespace trellis {

namespace {

// Integrands are smooth in ln a on panels of this width.
constexpr double panel = 0.25;

void check_scale_factor(double a) {
    if (!(a > 0 && std::isfinite(a))) throw InputError("a scale factor is " + to_text(a) + ": allowed is above 0");
}

void check_number(const char* name, double value, bool allowed, const char* what) {
    if (!(allowed && std::isfinite(value)))
        throw InputError(std::string(name) + " is " + to_text(value) + ": allowed is " + what);
}

double cube(double x) { return x * x * x; }

}  // namespace

void Cosmology::check() const {
    check_number("omega_m", omega_m, omega_m > 0, "above 0");
    check_number("omega_lambda", dark_energy(), true, "a finite number");
    check_number("omega_r", omega_r, omega_r >= 0, "0 or more");
    check_number("w0", w0, true, "a finite number");
    check_number("w0 + wa", w0 + wa, w0 + wa < 0, "below 0, so that matter outweighs dark energy at first");
    check_number("H0", H0, H0 > 0, "above 0");
    for (int k = 0; k <= 100; ++k) hubble(std::exp(-0.1 * k));
}

double Cosmology::dark_energy() const { return omega_lambda.value_or(1 - omega_m - omega_r); }

double Cosmology::curvature() const { return omega_lambda ? 1 - omega_m - omega_r - *omega_lambda : 0; }

double Cosmology::dark_growth(double a) const { return std::pow(a, -3 * (1 + w0 + wa)) * std::exp(-3 * wa * (1 - a)); }

double Cosmology::hubble(double a) const {
    check_scale_factor(a);
    const double squared = ((omega_r / a + omega_m) / a + curvature()) / (a * a) + dark_energy() * dark_growth(a);
    if (!(squared > 0))
        throw InputError("a scale factor is " + to_text(a) + ", where a space of omega_m " + to_text(omega_m) +
                         ", omega_lambda " + to_text(dark_energy()) + " and omega_r " + to_text(omega_r) +
                         " does not expand");
    return H0 * std::sqrt(squared);
}

double Cosmology::hubble_slope(double a) const {
    const double rate = hubble(a) / H0;
    const double change = -((4 * omega_r / a + 3 * omega_m) / a + 2 * curvature()) / (a * a) -
                          3 * (1 + w0 + wa * (1 - a)) * dark_energy() * dark_growth(a);
    return 0.5 * change / (rate * rate);
}

double Cosmology::matter_share(double a) const {
    const double rate = hubble(a) / H0;
    return omega_m / (cube(a) * rate * rate);
}

double Cosmology::mean_density(double G) const { return 3 * omega_m * H0 * H0 / (8 * std::numbers::pi * G); }

double Cosmology::time_integral(double begin, double end, int power) const {
    const auto in_log = [&](double x) { return std::exp(-power * x) / hubble(std::exp(x)); };
    return integral(in_log, std::log(begin), std::log(end), panel);
}

double Cosmology::kick_factor(double begin, double end) const {
    check_scale_factor(begin);
    check_scale_factor(end);
    return time_integral(begin, end, 1);
}

double Cosmology::drift_factor(double begin, double end) const {
    check_scale_factor(begin);
    check_scale_factor(end);
    return time_integral(begin, end, 2);
}

// dt / d ln a goes to zero with a as a^1.5 or faster: the part below 1e-12 a contributes less than 1e-16.
double Cosmology::time(double a) const {
    check_scale_factor(a);
    return time_integral(1e-12 * a, a, 0);
}

// Newton's steps in ln a, starting from the solution for matter alone.
double Cosmology::scale_factor(double time) const {
    check_number("a time", time, time > 0, "above 0");
    double a = std::pow(1.5 * H0 * std::sqrt(omega_m) * time, 2.0 / 3.0);
    for (int step = 0; step < 100; ++step) {
        const double change = (time - this->time(a)) * hubble(a);
        a *= std::exp(std::clamp(change, -1.0, 1.0));
        if (std::abs(change) < 1e-15) break;
    }
    return a;
}

}  // namespace trellis
