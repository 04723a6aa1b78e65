#include "trellis/forces/device_failure.hpp"

#include <algorithm>
#include <string>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

int failed_rank(const Comm& comm, const std::exception_ptr& failure) {
    return failure != nullptr ? comm.rank() : comm.size();
}

void throw_failure(const Comm& comm, const std::exception_ptr& failure, int first_failed) {
    if (failure != nullptr) std::rethrow_exception(failure);
    if (first_failed < comm.size()) throw DeviceError("of rank " + std::to_string(first_failed), "has failed");
}

void share_failure(const Ranks* ranks, const std::exception_ptr& failure) {
    if (ranks == nullptr) {
        if (failure != nullptr) std::rethrow_exception(failure);
        return;
    }
    Comm& comm = *ranks->comm;
    const auto least = [](int a, int b) { return std::min(a, b); };
    throw_failure(comm, failure, all_reduce(comm, failed_rank(comm, failure), least));
}

}  // namespace trellis
