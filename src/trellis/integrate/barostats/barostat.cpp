#include "trellis/integrate/barostats/barostat.hpp"

#include <cmath>

#include "trellis/base/error.hpp"

namespace trellis {

std::string problem_of(const Barostat& barostat) {
    if (!std::isfinite(barostat.pressure))
        return "the pressure is " + to_text(barostat.pressure) + ": allowed are finite numbers";
    if (!(barostat.longest_move > 0 && std::isfinite(barostat.longest_move)))
        return "the longest move of a barostat is " + to_text(barostat.longest_move) + ": allowed is above 0";
    return {};
}

}  // namespace trellis
