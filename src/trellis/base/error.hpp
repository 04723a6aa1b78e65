// The two errors of the library. Each message is one sentence: what is wrong, which value, what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace trellis {

// The caller gave something that cannot be used (Python: ValueError; command line: exit code 2).
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The run itself failed (Python: RuntimeError; command line: exit code 1).
class RunError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A number as a person would type it, for messages.
std::string to_text(double value);

}  // namespace trellis
