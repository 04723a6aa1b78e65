// Rows of particles as bytes, to be sent to another rank: a header, then the rows' values, column after column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Name and value type of every column, those of forces (_...) too: "position 3, id 1 integer". Particles are sent
// between sets that have this in common.
std::string columns_text(const ParticleSet& particles);
// A hash of columns_text in 64 bits.
std::uint64_t columns_hash(const ParticleSet& particles);

std::vector<std::byte> packed_rows(const ParticleSet& particles, std::span<const std::uint32_t> rows);

// The number of rows that were packed. Throws RunError if they cannot be rows of these particles.
std::size_t packed_row_count(const ParticleSet& particles, std::span<const std::byte> packed);

// Writes packed rows over the rows from first on, all of which the particles have. Throws as packed_row_count.
void unpack_rows(std::span<const std::byte> packed, ParticleSet& particles, std::size_t first);

}  // namespace trellis
