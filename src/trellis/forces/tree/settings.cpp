#include "trellis/forces/tree/settings.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"

namespace trellis {

namespace {

// Local expansions converge only between spheres that do not touch: theta stays below 1.
void check_theta(double theta, bool fmm) {
    const double limit = fmm ? 1 : 2;
    if (!(theta >= 0 && theta < limit))
        throw InputError("theta is " + to_text(theta) + ": allowed with method " + (fmm ? "fmm" : "tree") +
                         " is above 0 and below " + to_text(limit));
}

void check(const ForceSettings& s, bool expandable) {
    if (!(s.accuracy >= finest_accuracy && s.accuracy < 1))
        throw InputError("accuracy is " + to_text(s.accuracy) + ": allowed is " + to_text(finest_accuracy) +
                         " or more and below 1");
    if (s.criterion == Criterion::geometric && s.theta == 0)
        throw InputError(
            "criterion is geometric without a theta: needed is an opening angle, which has no accuracy known in "
            "advance; criterion relative has the accuracy asked for");
    if (s.method == Method::treepm) throw InputError("method is treepm: allowed for gravity alone");
    if (!expandable && s.method == Method::fmm)
        throw InputError("method is fmm, but this interaction has no radial derivatives: allowed is tree");
    if (!expandable && s.order > 1)
        throw InputError("order is " + std::to_string(s.order) +
                         ", but this interaction has no radial derivatives: allowed is 1");
    const int lowest = s.method == Method::fmm ? 2 : 1;
    const int highest = s.method == Method::tree ? 2 : highest_order;
    if (s.order != 0 && (s.order < lowest || s.order > highest))
        throw InputError("order is " + std::to_string(s.order) + ": allowed is " + std::to_string(lowest) + " to " +
                         std::to_string(highest));
    if (s.reuse_steps < 1) throw InputError("reuse_steps is 0: allowed is 1 or more");
    if (!(s.opening_growth >= 0 && s.opening_growth <= 1))
        throw InputError("opening_growth is " + to_text(s.opening_growth) + ": allowed is 0 to 1");
    if (s.group_size != 0 && s.leaf_size > s.group_size)
        throw InputError("leaf_size is " + std::to_string(s.leaf_size) + ": allowed is up to group_size, " +
                         std::to_string(s.group_size));
}

// The defaults are the fastest of those tried for each accuracy, on a cold uniform sphere and a Plummer sphere of 2^20
// particles (bench/notes/walk.md). At high accuracies the fifth order is faster than the fourth; at low ones it costs a
// tenth more, but keeps the energy of a collapse far better, since the errors of an even order add up.
constexpr int default_fmm_order = 5;

// With an error tolerance, spheres that nearly touch may interact; without one, theta alone bounds the error.
constexpr double theta_with_tolerance = 0.95;
constexpr double theta_alone = 0.5;

constexpr std::uint32_t default_group_size = 64;
constexpr std::uint32_t default_leaf_size = 16;

// RMS relative error of the forces. With the geometric criterion: a fit (bench/notes/walk.md).
double expected_error(const ForceChoice& choice) {
    if (choice.criterion == Criterion::relative) return choice.tolerance;
    const double share = choice.opening.receiver == Receiver::cell ? 0.005 : 0.02;
    return share * std::pow(choice.opening.theta, choice.opening.order + 1);
}

// RMS relative error of the forces below which rounding in single precision shows: rounding alone is 8e-8 for a Plummer
// sphere of 16,384 particles.
constexpr double finest_in_single = 3e-7;

Precision precision_for(double error, Precision asked) {
    if (error >= finest_in_single) return asked;
    if (asked == Precision::single_)
        throw InputError("accuracy is " + to_text(error) + ": allowed with precision single is " +
                         to_text(finest_in_single) + " or more");
    return Precision::double_;
}

// The binary digits with which values sent between ranks add less than a tenth of `error` (bench/notes/ranks.md).
int digits_for(double error) { return std::clamp(static_cast<int>(std::ceil(-std::log2(error))) + 2, 8, 48); }

// A GPU computes the pairs of larger groups in less time than the host makes the lists of smaller ones
// (bench/notes/devices.md).
constexpr std::uint32_t group_size_on_gpus = 256;

}  // namespace

ForceSettings with_expansions_on_devices(ForceSettings settings) {
    if (settings.method == Method::automatic && settings.order != 1) settings.method = Method::fmm;
    return settings;
}

ForceSettings sized_for(ForceSettings settings, bool on_gpus) {
    if (on_gpus && settings.group_size == 0) settings.group_size = std::max(group_size_on_gpus, settings.leaf_size);
    return settings;
}

ForceChoice choose(const ForceSettings& settings, bool expandable, bool on_device, bool softened) {
    check(settings, expandable);
    ForceChoice choice{};
    // Local expansions begin with the second order. On a device they must be asked for, since an interaction may have
    // no kernels of them there.
    const bool can_choose_fmm = expandable && (on_device ? settings.order > 1 : settings.order != 1);
    const bool fmm = settings.method == Method::fmm || (settings.method == Method::automatic && can_choose_fmm);
    check_theta(settings.theta, fmm);
    choice.opening.receiver = fmm ? Receiver::cell : Receiver::particle;
    choice.opening.order = settings.order != 0 ? settings.order : fmm ? default_fmm_order : 1;
    choice.criterion = settings.criterion;
    if (choice.criterion == Criterion::automatic)
        choice.criterion = settings.theta > 0 || !expandable ? Criterion::geometric : Criterion::relative;
    const bool relative = choice.criterion == Criterion::relative;
    choice.opening.theta = settings.theta > 0 ? settings.theta : relative ? theta_with_tolerance : theta_alone;
    // The RMS error of the total comes out below the error allowed to each cell (bench/notes/walk.md).
    choice.tolerance = relative ? settings.accuracy : any_error;
    if (softened) choice.opening.softening_error = 0.5 * expected_error(choice);  // the other half is for expansions
    choice.group_size =
        settings.group_size != 0 ? settings.group_size : std::max(default_group_size, settings.leaf_size);
    choice.leaf_size = settings.leaf_size != 0 ? settings.leaf_size : std::min(default_leaf_size, choice.group_size);
    choice.reuse_steps = settings.lists == Lists::reuse ? settings.reuse_steps : 1;
    choice.opening_growth = settings.opening_growth;
    choice.trust_reuse_steps = settings.trust_reuse_steps;
    choice.precision = precision_for(choice.tolerance, settings.precision);
    choice.digits = settings.compress ? digits_for(expected_error(choice)) : 0;
    return choice;
}

}  // namespace trellis
