// A copy of a system, for trials that leave the system itself unchanged. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "trellis/ensembles/kernels/system_columns.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

struct SystemCopy {
    System system;
    std::vector<double> values;  // values of its slots, column after column
    SystemColumns columns;

    SystemCopy(const SystemColumns& of, const System& original, std::size_t count)
        : system(original), values(of_all(of, original, count)), columns(of) {
        system.first = 0;
        columns.values = values.data();
        columns.stride = original.slots;
    }
    SystemCopy(const SystemCopy&) = delete;
    SystemCopy& operator=(const SystemCopy&) = delete;

  private:
    static std::vector<double> of_all(const SystemColumns& of, const System& original, std::size_t count) {
        std::vector<double> all(count * original.slots);
        for (std::size_t c = 0; c < count; ++c) std::copy_n(of[c], original.slots, all.data() + c * original.slots);
        return all;
    }
};

TRELLIS_ISA_END
}  // namespace trellis
