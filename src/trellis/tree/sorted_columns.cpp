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
                           std::span<const std::uint32_t> order) {
    copy(particles, fields, order, [&](const auto& copy_slot) { parallel_for(order.size(), copy_slot); });
}

void SortedColumns::gather(const ParticleSet& particles, std::span<const FieldInfo> fields,
                           std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks) {
    copy(particles, fields, order, [&](const auto& copy_slot) {
        parallel_for(blocks.size(), [&](std::size_t k) {
            const std::size_t first = blocks[k] * block_slots, end = std::min(first + block_slots, order.size());
            for (std::size_t slot = first; slot < end; ++slot) copy_slot(slot);
        });
    });
}

// for_slots(f) calls f for each slot whose values are copied.
template <class ForSlots>
void SortedColumns::copy(const ParticleSet& particles, std::span<const FieldInfo> fields,
                         std::span<const std::uint32_t> order, const ForSlots& for_slots) {
    size_ = slots_ = order.size();
    make_room(fields, size_);
    take(components_of(fields));
    std::size_t c = 0;
    for (const FieldInfo& field : fields) {
        const double* values = particles.column(field.name).values();
        double* out[3] = {};
        for (std::size_t axis = 0; axis < field.components; ++axis, ++c) out[axis] = components_[c];
        if (field.components == 3) {
            for_slots([&](std::size_t slot) {
                const double* row = values + std::size_t{3} * order[slot];
                for (std::size_t axis = 0; axis < 3; ++axis) out[axis][slot] = row[axis];
            });
        } else {
            for_slots([&](std::size_t slot) { out[0][slot] = values[order[slot]]; });
        }
    }
    for (double* component : components_) std::fill_n(component + size_, padding, 0.0);
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
