// The devices of a simulation or an ensemble, as Python chooses them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "trellis/devices/remote/open.hpp"

struct DeviceOptions {
    // Throws InputError for a spare of this machine that does not exist.
    void check() const;

    std::vector<std::string> device = {"host"};  // names, for forces that have none of their own
    bool automatic = false;                      // chosen for auto
    std::size_t memory = 0;                      // bytes that may be used on each; 0: all
    std::vector<std::string> spares;
    double grace = std::chrono::duration<double>(trellis::usual_grace).count();  // seconds
    int redundant = 1;                                                           // 2: in pairs that are compared
};
