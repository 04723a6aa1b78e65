// A sum over the particles of all ranks with the same bits for any division of the particles among ranks and threads,
// and any order of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

// The sums of the numbers of term(k), an array, over k in [0, count) and over all ranks; collective. Each number is
// rounded to a multiple of 2^-61 of the largest of its kind; these are then added as integers, without error. Not a
// number if any is not finite.
template <std::size_t Numbers, class Term>
std::array<double, Numbers> exact_sums(Comm& comm, std::size_t count, const Term& term) {
    __extension__ using Whole = __int128;  // holds the sum of 2^66 terms
    using Values = std::array<double, Numbers>;
    using Wholes = std::array<Whole, Numbers>;
    const auto larger = [](double a, double b) { return a < b || std::isnan(b) ? b : a; };
    const auto larger_of_each = [&](Values a, const Values& b) {
        for (std::size_t c = 0; c < Numbers; ++c) a[c] = larger(a[c], b[c]);
        return a;
    };
    const auto largest_of = [&](std::size_t begin, std::size_t end) {
        Values largest{};
        for (std::size_t k = begin; k < end; ++k) {
            const Values now = term(k);
            for (std::size_t c = 0; c < Numbers; ++c) largest[c] = larger(largest[c], std::abs(now[c]));
        }
        return largest;
    };
    const Values largest =
        all_reduce(comm, parallel_reduce(count, Values{}, largest_of, larger_of_each), larger_of_each);
    Values unit, sums;
    for (std::size_t c = 0; c < Numbers; ++c) {
        const double most = std::isfinite(largest[c]) && largest[c] > 0 ? largest[c] : 1;
        unit[c] = std::ldexp(1.0, std::min(60 - std::ilogb(most), 1023));
    }
    const auto whole_of = [&](double value, std::size_t c) {
        return std::isfinite(largest[c]) ? static_cast<std::int64_t>(std::nearbyint(value * unit[c])) : 0;
    };
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        Wholes sum{};
        for (std::size_t k = begin; k < end; ++k) {
            const Values now = term(k);
            for (std::size_t c = 0; c < Numbers; ++c) sum[c] += whole_of(now[c], c);
        }
        return sum;
    };
    const auto both = [](Wholes a, const Wholes& b) {
        for (std::size_t c = 0; c < Numbers; ++c) a[c] += b[c];
        return a;
    };
    const Wholes whole = all_reduce(comm, parallel_reduce(count, Wholes{}, sum_of, both), both);
    for (std::size_t c = 0; c < Numbers; ++c)
        sums[c] = std::isfinite(largest[c]) ? static_cast<double>(whole[c]) / unit[c]
                                            : std::numeric_limits<double>::quiet_NaN();
    return sums;
}

// The same for one number.
template <class Term>
double exact_sum(Comm& comm, std::size_t count, const Term& term) {
    return exact_sums<1>(comm, count, [&](std::size_t k) { return std::array<double, 1>{term(k)}; })[0];
}

}  // namespace trellis
