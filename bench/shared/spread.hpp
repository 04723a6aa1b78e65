// Times on a busy machine: the median, the lowest and the highest.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

struct Spread {
    double median, low, high;
};

inline Spread spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
    return {median, values.front(), values.back()};
}

template <class Body>
double seconds(Body&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
