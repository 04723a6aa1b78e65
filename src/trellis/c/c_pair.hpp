// A kernel in C, called where functions that are compiled at run time are (forces/run_time/run_time_pair.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "trellis/c/trellis.h"
#include "trellis/forces/run_time/run_time_pair.hpp"

namespace trellis {

template <class R>
using KernelInC = std::conditional_t<std::is_same_v<R, float>, trellis_kernel, trellis_kernel_d>;

template <class R>
struct CKernel {
    KernelInC<R>* function;
    void* of_user;
    std::size_t i_components, j_components, results;  // numbers of components
    std::size_t summed, raised;                       // of the results, those that are sums, and maxima behind them
    double cutoff = 0;                                // short range, if no radius is given
    // The components of i and j that are the search radius, as far as the search reads them.
    std::optional<std::size_t> radius_of_i = {}, radius_of_j = {};
};

// Lets the pair call the kernel, in its precision alone.
template <class R>
void set_kernel(RunTimePair& pair, const CKernel<R>& kernel);

}  // namespace trellis
