// Fields of particles by row, as functions that are compiled at run time read them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The components of some fields by row.
class Rows {
  public:
    Rows(const ParticleSet& particles, std::span<const FieldInfo> fields) {
        for (const FieldInfo& field : fields)
            for (std::size_t c = 0; c < field.components; ++c)
                components_.push_back({particles.column(field.name).values() + c, field.components});
    }
    double operator()(std::size_t component, std::size_t row) const {
        return components_[component].values[row * components_[component].stride];
    }

  private:
    struct Component {
        const double* values;
        std::size_t stride;
    };
    std::vector<Component> components_;
};

}  // namespace trellis
