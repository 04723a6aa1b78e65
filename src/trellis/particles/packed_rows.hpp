// Rows of particles as the bytes of a message: a header, then the values of the rows, column after column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The columns of a particle set: rows are sent between sets that have the same.
class RowFormat {
  public:
    explicit RowFormat(const ParticleSet& particles);

    // Name and value type of every column, those of forces (_...) too: "position 3, id 1 integer".
    const std::string& text() const { return text_; }
    // A hash of text() in 64 bits.
    std::uint64_t hash() const { return hash_; }

    std::vector<std::byte> packed(const ParticleSet& particles, std::span<const std::uint32_t> rows) const;

    // The number of packed rows. Throws RunError if they are not of this format.
    std::size_t row_count(std::span<const std::byte> packed) const;

    // Overwrites the rows of particles from `first` on with the packed ones. Throws as row_count.
    void unpack(std::span<const std::byte> packed, ParticleSet& particles, std::size_t first) const;

  private:
    std::string text_;
    std::uint64_t hash_;
    std::size_t bytes_of_row_;
};

}  // namespace trellis
