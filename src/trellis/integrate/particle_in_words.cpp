#include "trellis/integrate/particle_in_words.hpp"

#include <cmath>
#include <limits>

#include "trellis/base/error.hpp"

namespace trellis {

using namespace fields;

namespace {

// From one position to the nearest image of another.
double distance2(const Vec3<double>& from, const Vec3<double>& to, const Region& region) {
    Vec3<double> apart = to - from;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        const double period = region.high[axis] - region.low[axis];
        apart[axis] -= period * std::nearbyint(apart[axis] / period);
    }
    return dot(apart, apart);
}

}  // namespace

std::string name_of(const ParticleSet& particles, std::size_t row) {
    const Vec3<double>& x = particles[position][row];
    return "the particle of id " + std::to_string(particles[id][row]) + " at (" + to_text(x.x) + ", " + to_text(x.y) +
           ", " + to_text(x.z) + ")";
}

std::string nearest_neighbour(const ParticleSet& particles, std::size_t row) {
    const auto x = particles[position];
    std::size_t nearest = row;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < x.size(); ++other) {
        if (other == row) continue;
        const double here = distance2(x[row], x[other], particles.region());
        if (!(here < least)) continue;
        least = here;
        nearest = other;
    }
    if (nearest == row) return "";
    return "; its nearest neighbour, of id " + std::to_string(particles[id][nearest]) + ", is " +
           to_text(std::sqrt(least)) + " away";
}

}  // namespace trellis
