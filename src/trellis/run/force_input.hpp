// The values that forces were computed from, as checksums, since a caller may change them between two steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class ForceInput {
  public:
    // Adds the columns that a force reads.
    void add(const Force& force);

    // Notes the present values of these columns, and the region.
    void note(const ParticleSet& particles);
    // True if one of them is not as it was noted, or rows have changed their order.
    bool changed(const ParticleSet& particles) const;

  private:
    static std::uint64_t checksum_in(const ParticleSet& particles, const std::string& name);

    struct Noted {
        std::string name;
        std::uint64_t checksum;
    };
    std::vector<Noted> columns_;
    Region region_;
};

}  // namespace trellis
