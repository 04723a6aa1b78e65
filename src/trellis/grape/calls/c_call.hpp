// Errors of the C calls: a sentence on stderr and a return value.
#pragma once

#include <exception>
#include <string>

#include "trellis/devices/device.hpp"
#include "trellis/grape/calls/grape3.hpp"

namespace trellis {

// Prints a sentence to stderr, with the name of the call. A sentence that repeats the one before is not printed again.
void report_failed_call(const std::string& call, const std::string& what);

// Return values of the calls of grape3.h that fail.
inline constexpr int bad_call = -1, too_many_neighbours = -2, device_failed = -3;

// Calls the body and returns its result, a number of at least 0. If the body throws, reports the error and returns one
// of the numbers above.
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
