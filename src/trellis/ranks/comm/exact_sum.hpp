// A sum over the particles of all ranks with the same bits for any division of the particles among ranks and threads,
// and any order of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

// The sum of term(k) over k in [0, count) and over all ranks; collective. Terms are rounded to multiples of 2^-61 of
// the largest, which are then added as integers, without error. Not a number if any term is not finite.
template <class Term>
double exact_sum(Comm& comm, std::size_t count, const Term& term) {
    __extension__ using Whole = __int128;  // holds the sum of 2^66 terms
    const auto larger = [](double a, double b) { return a < b || std::isnan(b) ? b : a; };
    const auto largest_of = [&](std::size_t begin, std::size_t end) {
        double largest = 0;
        for (std::size_t k = begin; k < end; ++k) largest = larger(largest, std::abs(term(k)));
        return largest;
    };
    const double largest = all_reduce(comm, parallel_reduce(count, 0.0, largest_of, larger), larger);
    if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();

    const int digits = std::min(60 - std::ilogb(largest > 0 ? largest : 1), 1023);
    const double unit = std::ldexp(1.0, digits);
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        Whole sum = 0;
        for (std::size_t k = begin; k < end; ++k) sum += static_cast<std::int64_t>(std::nearbyint(term(k) * unit));
        return sum;
    };
    const Whole sum = all_reduce(comm, parallel_reduce(count, Whole{0}, sum_of, std::plus{}), std::plus{});
    return std::ldexp(static_cast<double>(sum), -digits);
}

}  // namespace trellis
