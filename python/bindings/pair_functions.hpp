// Functions of an interaction that Python has compiled, as values of settings.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "trellis/forces/run_time/run_time_pair.hpp"

// The functions of an interaction, and what they read and write.
struct PairFunctions {
    std::shared_ptr<const trellis::RunTimePair> pair;
};

void bind_pair_functions(nanobind::module_& core);
