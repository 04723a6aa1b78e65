// A copy of a system by the threads of a block, elsewhere in the device's memory. See kernels/system_copy.hpp.
#pragma once

#include <cstddef>

#include "trellis/ensembles/gpu/thread_columns.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class Threads>
struct ThreadCopy {
    System system;
    ThreadColumns<Threads> columns;

    // values: memory for `count` columns of the system's slots.
    TRELLIS_HOST_DEVICE ThreadCopy(const ThreadColumns<Threads>& of, const System& original, std::size_t count,
                                   double* values)
        : system(original), columns(of.at(values, original)) {
        for (std::size_t c = 0; c < count; ++c) of.each([&](std::size_t k) { columns.put(c, k, of.value(c, k)); });
    }
};

TRELLIS_ISA_END
}  // namespace trellis
