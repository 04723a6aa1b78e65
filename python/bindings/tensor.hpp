// Tensors as arrays of NumPy.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "python_lock.hpp"

// The tensor that compute() returns by rows, shape (3, 3). Python's lock is released while it is computed.
template <class Compute>
Array<double> tensor_of(const Compute& compute) {
    const auto rows = [&] {
        const LockReleased unlocked;
        return compute();
    }();
    return numbers_of<double>(std::vector(rows.begin(), rows.end()), {3, 3});
}
