#include "trellis/forces/short_range/source_rows.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

// New rows have zeros behind their components.
void SourceRows::make_room(std::size_t slots, std::size_t components) {
    components_ = components;
    values_.resize((slots + SortedColumns::padding) * width_of(components));
}

void SourceRows::copy(const SortedColumns& columns, std::size_t first, std::size_t end) {
    const std::size_t width = width_of(components_);
    double* const out = values_.data();
    for (std::size_t c = 0; c < components_; ++c) {
        const double* values = columns.component(c);
        for (std::size_t slot = first; slot < end; ++slot) out[slot * width + c] = values[slot];
    }
    round_kinds(first, end);
}

void SourceRows::round_kinds(std::size_t first, std::size_t end) {
    if (!kinds_) return;
    const RowKinds whole = *kinds_;
    const std::size_t width = width_of(components_);
    double* const kinds = values_.data() + whole.component;
    for (std::size_t slot = first; slot < end; ++slot) kinds[slot * width] = whole(kinds[slot * width]);
}

void SourceRows::append(const SortedColumns& columns, std::size_t components) {
    make_room(columns.slots(), components);
    const std::size_t first = columns.size();
    parallel_blocks(columns.slots() - first, SortedColumns::block_slots,
                    [&](std::size_t begin, std::size_t end) { copy(columns, first + begin, first + end); });
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
        const std::size_t first = blocks[k] * SortedColumns::block_slots;
        const auto rows = order.subspan(first, std::min(SortedColumns::block_slots, order.size() - first));
        double* const out = values_.data() + first * width;
        for (std::size_t c = 0; c < components; ++c)
            for (std::size_t slot = 0; slot < rows.size(); ++slot)
                out[slot * width + c] = sources[c].values[rows[slot] * sources[c].stride];
        round_kinds(first, first + rows.size());
    });
}

}  // namespace trellis
