#include "trellis/forces/settings.hpp"

#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/forces/kernels.hpp"

namespace trellis {

namespace {

void check(const ForceSettings& s, bool expandable) {
    if (!(s.accuracy > 0 && s.accuracy < 1))
        throw InputError("accuracy is " + to_text(s.accuracy) + ": allowed is above 0 and below 1");
    if (!(s.theta >= 0 && s.theta < 2)) throw InputError("theta is " + to_text(s.theta) + ": allowed is 0 to 2");
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
    if (s.group_size != 0 && s.leaf_size > s.group_size)
        throw InputError("leaf_size is " + std::to_string(s.leaf_size) + ": allowed is up to group_size, " +
                         std::to_string(s.group_size));
}

}  // namespace

ForceChoice choose(const ForceSettings& settings, bool expandable) {
    check(settings, expandable);
    ForceChoice choice{};
    const bool fmm = settings.method == Method::fmm || (settings.method == Method::automatic && expandable);
    choice.opening.receiver = fmm ? Receiver::cell : Receiver::particle;
    choice.opening.order = settings.order != 0 ? settings.order : fmm ? 4 : 1;
    choice.criterion = settings.criterion;
    if (choice.criterion == Criterion::automatic)
        choice.criterion = settings.theta > 0 || !expandable ? Criterion::geometric : Criterion::relative;
    choice.opening.theta = settings.theta > 0 ? settings.theta : 0.6;
    choice.tolerance = choice.criterion == Criterion::relative ? settings.accuracy : any_error;
    choice.group_size = settings.group_size != 0 ? settings.group_size : 64;
    choice.leaf_size = settings.leaf_size != 0 ? settings.leaf_size : 8;
    return choice;
}

}  // namespace trellis
