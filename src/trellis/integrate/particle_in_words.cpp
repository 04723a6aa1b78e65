#include "trellis/integrate/particle_in_words.hpp"

#include <cmath>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/particles/nearest_images.hpp"

namespace trellis {

using namespace fields;

std::string name_of(const ParticleSet& particles, std::size_t row) {
    const Vec3<double>& x = particles[position][row];
    return "the particle of id " + std::to_string(particles[id][row]) + " at (" + to_text(x.x) + ", " + to_text(x.y) +
           ", " + to_text(x.z) + ")";
}

std::string nearest_neighbour(const ParticleSet& particles, std::size_t row) {
    const auto x = particles[position];
    const NearestImage image(particles.region());
    std::size_t nearest = row;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < x.size(); ++other) {
        if (other == row) continue;
        const Vec3<double> apart = image.of(x[other] - x[row]);
        const double here = dot(apart, apart);
        if (!(here < least)) continue;
        least = here;
        nearest = other;
    }
    if (nearest == row) return "";
    return "; its nearest neighbour, of id " + std::to_string(particles[id][nearest]) + ", is " +
           to_text(std::sqrt(least)) + " away";
}

}  // namespace trellis
