// The values of an essential tree in few bytes (paper, section 7.1): rounded to the precision that the forces need,
// relative to their cells, and in a reusing step as differences from the straight line through the last two steps.
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/lists/essential/tree_values.hpp"
#include "trellis/packing/predicted_stream.hpp"

namespace trellis {

// One end of the connection that carries one tree from one rank to another; the other end has an equal object.
//
// Positions arrive as multiples of 2^-digits times the radius of their cell, rounded down to a power of two, or of the
// spacing of double precision if that is larger. Radii have `digits` binary digits, rounded up: a received sphere
// contains the received particles. The moment m, of order n, is a multiple of 2^(n - digits) weight / m!, in units of
// the received radius. The first moment, weights, sums, softenings, and components other than the position arrive
// unchanged.
class CompressedTree {
  public:
    CompressedTree(const EssentialShape& shape, int digits);

    // Called once in each step, from the construction step on.
    void write(TreeValues values, ByteWriter& out);
    // Reads into values, whose arrays have their sizes. Throws RunError if the other end is at another step.
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
    std::vector<std::uint32_t> parents_;  // of each cell; the root is its own parent
    std::vector<std::uint32_t> leaf_counts_;
    std::vector<int> exponents_;  // of each cell: positions are multiples of 2^exponent
    History history_;
};

// The shape of an essential tree in few bytes; sizes are rounded up to `digits` binary digits.
void write_compressed(const EssentialShape& shape, int digits, ByteWriter& out);
EssentialShape read_compressed_shape(ByteReader& in, int digits);

}  // namespace trellis
