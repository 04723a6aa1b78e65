// The moments of a cell that a force uses beyond its sums, multipole moments about the cell's centre, as bytes to be
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

    // Bytes of the moments of one cell; 0 if the force uses sums only.
    virtual std::size_t bytes() const = 0;
    // Bytes of one moment, a float or a double. Moments have the order of terms in
    // forces/tree/expansions/expansion.hpp, in units of the cell's radius.
    virtual std::size_t value_bytes() const = 0;

    // Writes the moments of a local cell.
    virtual void write(std::uint32_t cell, std::byte* out) const = 0;

    // Writes the moments of a cell from those of its two children.
    virtual void join(const Sphere& parent, const std::array<Sphere, 2>& children,
                      const std::array<const std::byte*, 2>& moments, std::byte* out) const = 0;
};

// The force uses sums only.
class NoCellMoments : public CellMoments {
  public:
    std::size_t bytes() const override { return 0; }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t, std::byte*) const override {}
    void join(const Sphere&, const std::array<Sphere, 2>&, const std::array<const std::byte*, 2>&,
              std::byte*) const override {}
};

}  // namespace trellis
