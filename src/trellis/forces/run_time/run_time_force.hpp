// Forces by interactions that are compiled at run time.
#pragma once

#include <cstddef>
#include <memory>

#include "trellis/base/isa.hpp"
#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/forces/tree/tree_force.hpp"

namespace trellis {

// The instruction set in use, for which functions are to be compiled, and the bytes of its vectors.
struct RunTimeMachine {
    Isa isa;
    std::size_t vector_bytes;
};
RunTimeMachine run_time_machine();

// Throws InputError for settings that such an interaction cannot follow: a device that takes no graphs, and, unless the
// pair is expandable, method fmm or an order above 1.
std::unique_ptr<TreeForce> run_time_tree_force(std::shared_ptr<const RunTimePair> pair, const ForceSettings& settings,
                                               const Devices& devices = {});

// cutoff: the search radius, unless the pair has a field for it. Throws InputError as above.
std::unique_ptr<ShortRangeForce> run_time_short_range_force(std::shared_ptr<const RunTimePair> pair, double cutoff,
                                                            const ShortRangeSettings& settings);

}  // namespace trellis
