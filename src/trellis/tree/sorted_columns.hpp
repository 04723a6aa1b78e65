// Columns in tree order: copies of the fields that an interaction reads of each particle (FDPS: EPI, EPJ).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// One array for each component of each field: the particles of a leaf are adjacent in memory.
class SortedColumns {
  public:
    // Makes room for `size` particles. Until gather the memory may be used for other purposes, such as the tree's sort.
    Workspace& make_room(std::span<const FieldInfo> fields, std::size_t size);
    static constexpr std::size_t block_slots = 16;
    // A function of the slots from `first` to `end`, a block of block_slots or the last one.
    using ForBlock = std::function<void(std::size_t first, std::size_t end)>;
    // Copies the fields in tree order. order: the row of each slot. then: called for each block that has been copied,
    // by several threads, while it is in the cache.
    void gather(
        const ParticleSet& particles, std::span<const FieldInfo> fields, std::span<const std::uint32_t> order,
        const ForBlock& then = [](std::size_t, std::size_t) {});
    // The same for some blocks, by their numbers; the values of other slots are of no use.
    void gather_some(const ParticleSet& particles, std::span<const FieldInfo> fields,
                     std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks);

    // Appends imported particles to the local ones, replacing those imported before: one vector for each of their first
    // components.
    void append(std::span<const std::vector<double>> components);

    // The number of local particles.
    std::size_t size() const { return size_; }
    // The number of local and imported particles.
    std::size_t slots() const { return slots_; }
    // Component c counts through the fields in the order given to gather: position x, y, z, mass, ... `padding` further
    // values follow the last one, so that kernels may read whole batches.
    static constexpr std::size_t padding = 16;
    const double* component(std::size_t c) const { return components_[c]; }
    double* component(std::size_t c) { return components_[c]; }
    std::size_t component_count() const { return components_.size(); }

  private:
    // A field of the particles, and where its components go.
    struct Copied {
        const double* values;
        std::size_t components;
        double* out[3];
    };

    void take(std::size_t components);
    void begin(const ParticleSet& particles, std::span<const FieldInfo> fields, std::size_t size);
    void copy(std::span<const std::uint32_t> order, std::size_t first, std::size_t end) const;
    void grow();

    std::size_t size_ = 0, slots_ = 0;
    std::size_t imported_ = 0,
                room_ = 0;  // slots of the particles appended last, for which room is made ahead, and in all
    Workspace space_;
    std::vector<double*> components_;
    std::vector<Copied> copied_;  // the fields that are being gathered
};

}  // namespace trellis
