// Log of a program that serves connections.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

// Receives one event: its name, and facts as names and values.
using EventLog =
    std::function<void(const std::string& event, const std::vector<std::pair<std::string, std::string>>& facts)>;

}  // namespace trellis
