#include "trellis/integrate/rungs/longest_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trellis {

namespace {

double length_of(unsigned k) { return std::exp2(-static_cast<double>(k) / lengths_an_octave); }

// The forces on all particles have a part that levels lack, such as a mesh, and levels are often computed once more at
// the beginning of a step: each adds about half, so that both count as one.
double work_of(const RungCounts& counts) {
    const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    return static_cast<double>(all) + overhead_of_level + least_cost(counts, 1);
}

// The counts for half of the length.
RungCounts halved(RungCounts counts) {
    counts[1] += counts[0];
    std::ranges::rotate(counts, counts.begin() + 1);
    counts.back() = 0;
    return counts;
}

}  // namespace

void count(double share, CountsOfLengths& counts) {
    for (unsigned k = 0; k < lengths_an_octave; ++k) ++counts[k][std::min(rung_of(share / length_of(k)), deepest_rung)];
}

double cheapest_length(const CountsOfLengths& counts) {
    double cheapest = 1, least = std::numeric_limits<double>::infinity();
    CountsOfLengths now = counts;
    for (unsigned k = 0; k < lengths_an_octave * (deepest_rung + 1); ++k) {
        RungCounts& of_length = now[k % lengths_an_octave];
        const double work = work_of(of_length) / length_of(k);
        if (work < least) {
            least = work;
            cheapest = length_of(k);
        }
        of_length = halved(of_length);
    }
    return cheapest;
}

}  // namespace trellis
