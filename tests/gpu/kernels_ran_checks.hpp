// Kernels of the library that have run on a device of OpenCL or HIP: all, after all other checks.
#pragma once

#include "checks.hpp"

void check_kernels_ran(Checks& checks);
