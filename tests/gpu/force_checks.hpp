// Whole forces on a device, against those of the host and the direct sum.
#pragma once

#include <string>

#include "checks.hpp"

// name: as for open_device. small: few particles, for a device that is slowed down by a sanitizer.
void check_forces(Checks& checks, const std::string& name, bool small);
