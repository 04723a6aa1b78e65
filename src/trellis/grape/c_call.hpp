// How the C calls report what they cannot carry out.
#pragma once

#include <exception>
#include <string>

namespace trellis {

// Prints a sentence to stderr, with the name of the call. The same sentence is printed once in a row.
void report_failed_call(const std::string& call, const std::string& what);

// Carries out the body; returns whether it did. Reports what it throws.
template <class Body>
bool carry_out(const char* call, Body&& body) {
    try {
        body();
        return true;
    } catch (const std::exception& error) {
        report_failed_call(call, error.what());
        return false;
    }
}

}  // namespace trellis
