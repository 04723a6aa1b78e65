// The message that a user reads when something cannot be done.
#pragma once

#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

// The sentence of the error that body throws; empty if it throws none.
template <class Error = InputError, class Body>
std::string message_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace trellis
