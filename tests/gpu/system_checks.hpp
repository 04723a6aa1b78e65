// Ensembles of small systems on a device.
#pragma once

#include <string>

#include "checks.hpp"

// name: of the device.
void check_systems(Checks& checks, const std::string& name, bool small);
