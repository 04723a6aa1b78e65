// A device that fails on one of several ranks: all ranks are notified in a collective call, so that no rank waits for
// another and all can repeat the step.
#pragma once

#include <exception>
#include <utility>

#include "trellis/devices/device.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// Makes the call. Returns the failure if a device fails, else null; any other error is thrown.
template <class Call>
std::exception_ptr device_failure_of(Call&& call) {
    try {
        std::forward<Call>(call)();
    } catch (const DeviceError&) {
        return std::current_exception();
    }
    return nullptr;
}

// The number of this rank if its device has failed, else the number of ranks. The minimum over all ranks is the first
// that has failed.
int failed_rank(const Comm& comm, const std::exception_ptr& failure);

// Throws the failure of this rank or, if only other ranks have failed, a DeviceError that names the first of them.
void throw_failure(const Comm& comm, const std::exception_ptr& failure, int first_failed);

// Throws on all ranks if a device of any has failed. Collective; ranks: null for a rank alone.
void share_failure(const Ranks* ranks, const std::exception_ptr& failure);

// Thrown by Force::retrieve on all ranks, without a failure: the force turned out to need another precision than it was
// dispatched with. It must be dispatched again, after the results have been restored.
class RedoForces : public std::exception {};

}  // namespace trellis
