// Expansions of gravity as a potential in Python, against those of gravity on the host.
#pragma once

#include <string>

#include "checks.hpp"

void check_python_expansions(Checks& checks, const std::string& name, bool small);
