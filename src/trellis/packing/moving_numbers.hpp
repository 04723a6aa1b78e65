// Lossless packing of numbers that are sent repeatedly and move little, such as positions at every step: as differences
// from the straight line through their last two values, which both ends keep. Unlike in predicted_stream.hpp, nothing
// is rounded; multiples of a common power of two take fewer bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/packing/bytes.hpp"

namespace trellis {

// The layout of numbers in memory: record after record of `values` numbers each.
struct NumberRecords {
    std::uint32_t value_bytes;  // 4: float, 8: double
    std::uint32_t values;
    // Doubles that are stored as two floats each (row_layout.hpp): the first `split` floats of a record are the rounded
    // numbers, the next `split` floats the remainders.
    std::uint32_t split;

    std::size_t bytes() const { return std::size_t{value_bytes} * values; }
    // True if numbers of this layout can be packed.
    bool valid() const {
        return (value_bytes == 4 || (value_bytes == 8 && split == 0)) && values > 0 && values <= 1024 &&
               split <= values / 2;
    }
};

// The same records when they were last sent, and the time before; before is empty if they were sent once.
struct FormerNumbers {
    std::span<const std::byte> last, before;
};

// now: whole records. former: the same number of records.
void pack_moving(const NumberRecords& records, std::span<const std::byte> now, const FormerNumbers& former,
                 ByteWriter& out);

// Reads packed numbers, with former records equal to those of pack_moving. Throws RunError for bytes that were not
// packed.
void unpack_moving(ByteReader& in, const NumberRecords& records, const FormerNumbers& former, std::span<std::byte> now);

}  // namespace trellis
