// The moments of a cell that a force has beyond its sums: multipole moments about the cell's centre, as bytes that are
// sent between ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/tree/contents.hpp"

namespace trellis {

class CellMoments {
  public:
    virtual ~CellMoments() = default;

    // Bytes of one cell's moments; 0 if sums are all there is.
    virtual std::size_t bytes() const = 0;
    // Bytes of one moment, a float or a double. Terms are in the sequence of forces/tree/kernels/expansion.hpp, in
    // units of the cell's radius.
    virtual std::size_t value_bytes() const = 0;

    // Writes the moments of a local cell.
    virtual void write(std::uint32_t cell, std::byte* out) const = 0;

    // Writes the moments of a cell from those of its two children.
    virtual void join(const Sphere& parent, const std::array<Sphere, 2>& children,
                      const std::array<const std::byte*, 2>& moments, std::byte* out) const = 0;
};

// No moments: sums are all there is.
class NoCellMoments : public CellMoments {
  public:
    std::size_t bytes() const override { return 0; }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t, std::byte*) const override {}
    void join(const Sphere&, const std::array<Sphere, 2>&, const std::array<const std::byte*, 2>&,
              std::byte*) const override {}
};

}  // namespace trellis
