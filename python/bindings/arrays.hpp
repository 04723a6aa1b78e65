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

// An array of this shape that owns the numbers that the values are made of.
template <class T, class Value>
Array<T> numbers_of(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
    static_assert(sizeof(Value) % sizeof(T) == 0 && alignof(Value) == alignof(T));
    auto kept = std::make_unique<std::vector<Value>>(std::move(values));
    auto* data = reinterpret_cast<T*>(kept->data());
    const nanobind::capsule owner(kept.release(),
                                  [](void* memory) noexcept { delete static_cast<std::vector<Value>*>(memory); });
    return Array<T>(data, shape, owner);
}

// An array of this shape that owns the values.
template <class T>
Array<T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    return numbers_of<T>(std::move(values), shape);
}
