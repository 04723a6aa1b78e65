// What a force knows of a cell beyond its sums: multipole moments about the cell's centre, as bytes that travel between ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/tree/contents.hpp"

namespace trellis {

class CellMoments {
  public:
    virtual ~CellMoments() = default;

    // Of one cell; 0 if sums are all there is.
    virtual std::size_t bytes() const = 0;
    // Of one of their values, floats or doubles; terms in the sequence of forces/expansion.hpp, in units of the cell's radius.
    virtual std::size_t value_bytes() const = 0;

    // Writes those of an own cell.
    virtual void write(std::uint32_t cell, std::byte* out) const = 0;

    // Writes those of a cell from its two children's.
    virtual void join(const Sphere& parent, const std::array<Sphere, 2>& children,
                      const std::array<const std::byte*, 2>& moments, std::byte* out) const = 0;
};

// Sums are all there is.
class NoCellMoments : public CellMoments {
  public:
    std::size_t bytes() const override { return 0; }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t, std::byte*) const override {}
    void join(const Sphere&, const std::array<Sphere, 2>&, const std::array<const std::byte*, 2>&,
              std::byte*) const override {}
};

}  // namespace trellis
