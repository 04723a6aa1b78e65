#include "trellis/ranks/domain/sampling.hpp"

#include <algorithm>

namespace trellis {

std::vector<Sample> sample(std::span<const Vec3<double>> positions, const Region& region, std::size_t count,
                           double work) {
    std::vector<Sample> samples(std::min(count, positions.size()));
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const std::size_t row = (2 * k + 1) * positions.size() / (2 * samples.size());  // the middle of a stride
        samples[k] = {region.wrapped(positions[row]), work / static_cast<double>(samples.size())};
    }
    return samples;
}

}  // namespace trellis
