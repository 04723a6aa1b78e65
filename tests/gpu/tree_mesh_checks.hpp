// Checks TreePM on a device, and Coulomb's force, against the host and Ewald's sum.
#pragma once

#include <string>

#include "checks.hpp"

// name: of the device.
void check_tree_mesh(Checks& checks, const std::string& name, bool small);
