// Checks of the values that several thermostats have.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

// Throws InputError unless k T is 0 or more and the relaxation time above 0.
inline void check_bath(double temperature, double relaxation_time) {
    if (!(temperature >= 0 && std::isfinite(temperature)))
        throw InputError("the temperature of a thermostat is " + to_text(temperature) + ": allowed is 0 or more");
    if (!(relaxation_time > 0 && std::isfinite(relaxation_time)))
        throw InputError("the relaxation time of a thermostat is " + to_text(relaxation_time) + ": allowed is above 0");
}

// The number of a thermostat's state that has one alone. Throws InputError for another state.
inline double only_number(const char* thermostat, std::span<const double> state) {
    if (state.size() != 1)
        throw InputError("the state of a " + std::string(thermostat) + " thermostat has " +
                         std::to_string(state.size()) + " numbers, but must have 1");
    return state[0];
}

}  // namespace trellis
