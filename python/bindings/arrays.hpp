// NumPy arrays that own their values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T>;

// An array of this shape, of the values themselves.
template <class T>
Array<T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    const nanobind::capsule owner(kept.release(),
                                  [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
    return Array<T>(data, shape, owner);
}
