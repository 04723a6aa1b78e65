#include "trellis/base/error.hpp"

#include <cstdio>

namespace trellis {

std::string to_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

}  // namespace trellis
