// Forces by interactions that are written in Python.
#pragma once

#include "device_options.hpp"
#include "forces.hpp"

// Throws InputError for a spare that could not continue the force, if it is one of these and on a device.
void check_spares(const AnyForce& force, const DeviceOptions& options);
