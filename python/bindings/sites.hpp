// Runs over several sites, for Python.
#pragma once

#include <nanobind/nanobind.h>

void bind_sites(nanobind::module_& core);  // after Comm
