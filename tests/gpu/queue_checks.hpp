// Guarantees of a device: memory, queues, marks and failures.
#pragma once

#include <string>

#include "checks.hpp"

void check_queues(Checks& checks, const std::string& device_name);
