// The result columns of a force, as kernels write them: one array for each component.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// One component of one result field: the value of a row is values[row * stride].
struct ResultComponent {
    double* values;
    std::size_t stride;
};

// Sets components to those of the given fields, in this order, in the columns of the particles.
inline void find_components(ParticleSet& particles, std::span<const FieldInfo> fields,
                            std::vector<ResultComponent>& components) {
    components.clear();
    for (const FieldInfo& field : fields)
        for (std::size_t c = 0; c < field.components; ++c)
            components.push_back({particles.column(field.name).values() + c, field.components});
}

}  // namespace trellis
