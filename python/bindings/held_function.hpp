// A function of Python that C++ calls, and keeps for as long as it needs.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "python_lock.hpp"

using HeldFunction = std::shared_ptr<const nanobind::callable>;

// Called with Python's lock; copied and destroyed with or without.
inline HeldFunction held(nanobind::callable function) {
    return {new nanobind::callable(std::move(function)), [](const nanobind::callable* kept) {
                const LockTaken locked;
                delete kept;
            }};
}
