// How the C calls report what they cannot carry out.
#pragma once

#include <exception>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/grape/grape3.hpp"

namespace trellis {

// Prints a sentence to stderr, with the name of the call. The same sentence is printed once in a row.
void report_failed_call(const std::string& call, const std::string& what);

// What the calls of grape3.h return if they fail.
inline constexpr int bad_call = -1, too_many_neighbours = -2, device_failed = -3;

// Carries out the body, which returns a number that is at least 0, and returns that; or reports what the body throws
// and returns one of the numbers above.
template <class Body>
int carry_out(const char* call, Body&& body) {
    try {
        return body();
    } catch (const TooManyNeighbours& error) {
        report_failed_call(call, error.what());
        return too_many_neighbours;
    } catch (const DeviceError& error) {
        report_failed_call(call, error.what());
        return device_failed;
    } catch (const std::exception& error) {
        report_failed_call(call, error.what());
        return bad_call;
    }
}

}  // namespace trellis
