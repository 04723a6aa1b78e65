#include "trellis/forces/tree/device/expand_lists.hpp"

#include <numeric>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

void expand_lists(const KernelCall& call) {
    const auto* groups = reinterpret_cast<const DeviceGroup*>(call.memory[0]);
    const auto* ranges = reinterpret_cast<const RowRange*>(call.memory[1]);
    auto* indices = reinterpret_cast<std::uint32_t*>(call.memory[2]);
    parallel_for(call.get<ListsCall>().group_count, [&](std::size_t g) {
        std::uint32_t* out = indices + groups[g].first_index;
        for (std::uint32_t k = 0; k < groups[g].range_count; ++k) {
            const RowRange& range = ranges[groups[g].first_range + k];
            std::iota(out, out + range.count, range.first);
            out += range.count;
        }
    });
}

}  // namespace trellis
