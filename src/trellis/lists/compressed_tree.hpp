// The values of an essential tree in few bytes (paper, section 7.1): as exact as the forces ask, relative to the cells that they belong to, and
// at a reusing step what differs from the straight line through the last two steps.
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/lists/predicted_stream.hpp"
#include "trellis/lists/tree_values.hpp"

namespace trellis {

// One end of the way from one rank to another, for one tree; the other end has the same.
//
// Positions arrive as multiples of 2^-digits of their cell's radius, rounded down to a power of two, or of what double precision can tell
// apart. Radii have so many digits, rounded up: a sphere that arrives holds the particles that arrive. The moment m, of order n, is a multiple
// of 2^(n - digits) weight / m!, in units of the radius that arrives; the first one, weights, sums, and components other than the position arrive
// as they are.
class CompressedTree {
  public:
    CompressedTree(const EssentialShape& shape, int digits);

    // Each step once, the construction step first.
    void write(TreeValues values, ByteWriter& out);
    // Into values, which have their sizes. Throws RunError if the other end is at another step.
    void read(ByteReader& in, TreeValues& values);

  private:
    void widen_spheres(TreeValues& values) const;
    template <class Stream>
    void pass_all(Stream& stream, TreeValues& values);
    template <class Stream>
    void pass_spheres(Stream& stream, TreeValues& values);
    template <class Stream>
    void pass_closed(Stream& stream, TreeValues& values) const;
    template <class Stream>
    void pass_particles(Stream& stream, TreeValues& values) const;

    int digits_;
    std::vector<CellKind> kinds_;
    std::vector<std::uint32_t> parents_;  // of each cell; the root's is itself
    std::vector<std::uint32_t> leaf_counts_;
    std::vector<int> exponents_;  // of each cell: positions are multiples of 2 to this
    History history_;
};

// A shape, likewise; sizes are rounded up to so many digits.
void write_compressed(const EssentialShape& shape, int digits, ByteWriter& out);
EssentialShape read_compressed_shape(ByteReader& in, int digits);

}  // namespace trellis
