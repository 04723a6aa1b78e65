// Numbers that are sent again and again while they move little, such as positions at every step: bit by bit as they
// are, in the few bytes that tell them from the straight line through the last two times. Both ends keep those. Unlike
// predicted_stream.hpp, nothing is rounded here; where numbers are multiples of a power of two, fewer bytes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/packing/bytes.hpp"

namespace trellis {

// How numbers stand in memory: record after record, each of so many values.
struct NumberRecords {
    std::uint32_t value_bytes;  // 4: float, 8: double
    std::uint32_t values;
    std::uint32_t split;  // the first so many floats are rounded numbers, and as many rests follow (row_layout.hpp)

    std::size_t bytes() const { return std::size_t{value_bytes} * values; }
    // False for what cannot be packed.
    bool valid() const {
        return (value_bytes == 4 || (value_bytes == 8 && split == 0)) && values > 0 && values <= 1024 &&
               split <= values / 2;
    }
};

// The same records as they were at the last time, and before that: empty if that was the first time.
struct FormerNumbers {
    std::span<const std::byte> last, before;
};

// now: whole records. former: as many.
void pack_moving(const NumberRecords& records, std::span<const std::byte> now, const FormerNumbers& former,
                 ByteWriter& out);

// Reads what was packed, with equal former records. Throws RunError for bytes that were not packed.
void unpack_moving(ByteReader& in, const NumberRecords& records, const FormerNumbers& former, std::span<std::byte> now);

}  // namespace trellis
