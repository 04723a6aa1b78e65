#include "trellis/tree/sorted_columns.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

Workspace& SortedColumns::make_room(std::span<const FieldInfo> fields, std::size_t size) {
    room_ = size + imported_ + imported_ / 4 + padding;
    space_.start(components_of(fields) * Workspace::bytes_of<double>(room_));
    return space_;
}

void SortedColumns::take(std::size_t components) {
    components_.resize(components);
    for (double*& values : components_) values = space_.take<double>(room_);
}

void SortedColumns::gather(const ParticleSet& particles, std::span<const FieldInfo> fields,
                           std::span<const std::uint32_t> order, const ForBlock& then) {
    begin(particles, fields, order.size());
    parallel_blocks(order.size(), block_slots, [&](std::size_t first, std::size_t end) {
        copy(order, first, end);
        then(first, end);
    });
}

void SortedColumns::gather_some(const ParticleSet& particles, std::span<const FieldInfo> fields,
                                std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks) {
    begin(particles, fields, order.size());
    parallel_for(blocks.size(), [&](std::size_t k) {
        const std::size_t first = blocks[k] * block_slots;
        copy(order, first, std::min(first + block_slots, order.size()));
    });
}

void SortedColumns::begin(const ParticleSet& particles, std::span<const FieldInfo> fields, std::size_t size) {
    size_ = slots_ = size;
    make_room(fields, size);
    take(components_of(fields));
    copied_.clear();
    std::size_t c = 0;
    for (const FieldInfo& field : fields) {
        Copied& one = copied_.emplace_back(Copied{particles.column(field.name).values(), field.components, {}});
        for (std::size_t axis = 0; axis < field.components; ++axis) one.out[axis] = components_[c++];
    }
    for (double* component : components_) std::fill_n(component + size_, padding, 0.0);
}

void SortedColumns::copy(std::span<const std::uint32_t> order, std::size_t first, std::size_t end) const {
    for (const auto& [values, components, out] : copied_) {
        if (components == 3) {
            for (std::size_t slot = first; slot < end; ++slot) {
                const double* row = values + std::size_t{3} * order[slot];
                for (std::size_t axis = 0; axis < 3; ++axis) out[axis][slot] = row[axis];
            }
        } else {
            for (std::size_t slot = first; slot < end; ++slot) out[0][slot] = values[order[slot]];
        }
    }
}

// Moves the local particles to memory with room for the imported ones.
void SortedColumns::grow() {
    const Workspace local = std::exchange(space_, {});
    const std::vector<double*> from = components_;
    room_ = slots_ + imported_ / 4 + padding;
    space_.start(from.size() * Workspace::bytes_of<double>(room_));
    take(from.size());
    for (std::size_t c = 0; c < from.size(); ++c) std::copy_n(from[c], size_, components_[c]);
}

void SortedColumns::append(std::span<const std::vector<double>> components) {
    imported_ = components.empty() ? 0 : components[0].size();
    slots_ = size_ + imported_;
    if (slots_ + padding > room_) grow();
    for (std::size_t c = 0; c < components.size(); ++c)
        std::fill_n(std::ranges::copy(components[c], components_[c] + size_).out, padding, 0.0);
}

}  // namespace trellis
