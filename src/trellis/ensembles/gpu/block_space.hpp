// The fast memory that a block of threads shares, for its system: sums, the columns that move, and rows of single
// precision, in this order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/ensembles/gpu/near_bits.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Position, velocity and acceleration.
inline constexpr std::size_t moving_columns = system_columns::listed;

// Sums over particles are made by at most partial_sums partial sums, then by last_sums, of at most most_numbers numbers
// at once.
inline constexpr std::size_t partial_sums = 1024, last_sums = 32, most_numbers = 4;
inline constexpr std::size_t last_parts = last_sums * most_numbers;

// The fields of a particle that its pairs read, those of Source first; padded to pieces of four.
template <class I>
struct alignas(16) SystemRow {
    static constexpr std::size_t components = UnionOfFields<typename I::Source, typename I::Target>::component_count();
    float values[(components + 3) / 4 * 4];
};

struct BlockSpace {
    std::size_t slots;     // slots of the largest system
    bool columns_at_hand;  // false: they stay in the columns of all systems

    TRELLIS_HOST_DEVICE std::size_t doubles_of_sums() const {
        return last_parts + most_numbers * (slots < partial_sums ? slots : partial_sums);
    }
    TRELLIS_HOST_DEVICE std::size_t doubles() const {
        return doubles_of_sums() + (columns_at_hand ? moving_columns * slots : 0);
    }
    template <class I>
    std::size_t bytes() const {
        return doubles() * sizeof(double) + slots * sizeof(SystemRow<I>);
    }
};

// A block's part of the device's memory: for lists of near particles, and for a copy of its system; null if not needed.
struct BlockRoom {
    std::uint32_t* near = nullptr;
    double* copy = nullptr;
};
template <class I>
std::size_t near_words(const SystemsCall& call) {
    return ShortRange<I> && call.largest >= least_listed ? NearBits::words(call.largest) : 0;
}
inline std::size_t copy_doubles(const SystemsCall& call) { return call.volumes * call.columns * call.largest; }

TRELLIS_ISA_END
}  // namespace trellis
