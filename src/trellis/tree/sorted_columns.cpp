#include "trellis/tree/sorted_columns.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

void SortedColumns::gather(const ParticleSet& particles, std::span<const FieldInfo> fields,
                           std::span<const std::uint32_t> order) {
    size_ = slots_ = order.size();
    std::size_t total = 0;
    for (const FieldInfo& field : fields) total += field.components;
    components_.resize(total);
    std::size_t c = 0;
    for (const FieldInfo& field : fields) {
        const double* values = particles.column(field.name).values();
        double* out[3] = {};
        for (std::size_t axis = 0; axis < field.components; ++axis, ++c) {
            components_[c].resize(size_ + padding);
            out[axis] = components_[c].data();
        }
        if (field.components == 3) {
            parallel_for(size_, [&](std::size_t slot) {
                const double* row = values + std::size_t{3} * order[slot];
                for (std::size_t axis = 0; axis < 3; ++axis) out[axis][slot] = row[axis];
            });
        } else {
            parallel_for(size_, [&](std::size_t slot) { out[0][slot] = values[order[slot]]; });
        }
    }
}

void SortedColumns::append(std::span<const std::vector<double>> components) {
    slots_ = size_ + (components.empty() ? 0 : components[0].size());
    for (std::size_t c = 0; c < components.size(); ++c) {
        components_[c].resize(slots_ + padding);
        std::ranges::copy(components[c], components_[c].begin() + static_cast<std::ptrdiff_t>(size_));
    }
}

}  // namespace trellis
