// Built-in external fields, against the host.
#pragma once

#include <memory>

#include "checks.hpp"

void check_fields(Checks& checks, const std::shared_ptr<trellis::Device>& device);
