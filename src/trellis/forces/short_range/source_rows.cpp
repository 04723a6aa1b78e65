#include "trellis/forces/short_range/source_rows.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr std::size_t block_slots = SortedColumns::block_slots;

// Copies the slots of a block, from `first` on.
void copy_block(const SortedColumns& columns, std::size_t components, std::size_t first, double* rows) {
    const std::size_t count = std::min(block_slots, columns.slots() - first), width = SourceRows::width_of(components);
    double* const out = rows + first * width;
    for (std::size_t c = 0; c < components; ++c) {
        const double* values = columns.component(c) + first;
        for (std::size_t k = 0; k < count; ++k) out[k * width + c] = values[k];
    }
}

}  // namespace

void SourceRows::copy(const SortedColumns& columns, std::size_t components, std::size_t first) {
    make_room(columns.slots(), components);
    const std::size_t first_block = first / block_slots, blocks = (columns.slots() + block_slots - 1) / block_slots;
    parallel_for(blocks - std::min(first_block, blocks), [&](std::size_t k) {
        copy_block(columns, components, (first_block + k) * block_slots, values_.data());
    });
}

void SourceRows::gather(const ParticleSet& particles, std::span<const FieldInfo> fields, std::size_t components,
                        std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks) {
    make_room(order.size(), components);
    struct Source {
        const double* values;
        std::size_t stride;
    };
    std::vector<Source> sources;
    for (const FieldInfo& field : fields)
        for (std::size_t axis = 0; axis < field.components && sources.size() < components; ++axis)
            sources.push_back({particles.column(field.name).values() + axis, field.components});
    const std::size_t width = width_of(components);
    parallel_for(blocks.size(), [&](std::size_t k) {
        const std::size_t first = blocks[k] * block_slots;
        const auto rows = order.subspan(first, std::min(block_slots, order.size() - first));
        double* const out = values_.data() + first * width;
        for (std::size_t c = 0; c < components; ++c)
            for (std::size_t slot = 0; slot < rows.size(); ++slot)
                out[slot * width + c] = sources[c].values[rows[slot] * sources[c].stride];
    });
}

// New rows have zeros behind their components.
void SourceRows::make_room(std::size_t slots, std::size_t components) {
    values_.resize((slots + SortedColumns::padding) * width_of(components));
}

}  // namespace trellis
