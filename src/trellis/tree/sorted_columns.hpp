// Columns in tree order: FDPS's EPI and EPJ, copies of the data that an interaction needs of each particle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// One array for each component of each field, so that neighbours in a leaf are neighbours in memory.
class SortedColumns {
  public:
    // Makes room for so many particles, which until gather may be used for something else: the tree's sort.
    Workspace& make_room(std::span<const FieldInfo> fields, std::size_t size);
    // Copies the fields in tree order. order: the row of each slot.
    void gather(const ParticleSet& particles, std::span<const FieldInfo> fields, std::span<const std::uint32_t> order);

    // Puts imported particles behind the local ones, in place of those imported before: their first components, a
    // vector each.
    void append(std::span<const std::vector<double>> components);

    // The number of local particles.
    std::size_t size() const { return size_; }
    // The number of local and imported particles.
    std::size_t slots() const { return slots_; }
    // Component c counts through the fields in the order given to gather: position x, y, z, mass, ...
    // Behind the last value stand padding more, so that kernels may read in whole batches.
    static constexpr std::size_t padding = 16;
    const double* component(std::size_t c) const { return components_[c]; }
    double* component(std::size_t c) { return components_[c]; }
    std::size_t component_count() const { return components_.size(); }

  private:
    void take(std::size_t components);
    void grow();

    std::size_t size_ = 0, slots_ = 0;
    std::size_t imported_ = 0, room_ = 0;  // slots: appended last, for which room is made ahead; and in all
    Workspace space_;
    std::vector<double*> components_;
};

}  // namespace trellis
