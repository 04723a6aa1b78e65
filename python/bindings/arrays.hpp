// NumPy arrays that own their values, and views of columns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "trellis/particles/particle_set.hpp"

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

// A view of a column's values, which owns their memory, too: after rows have been replaced it shows the former ones.
// Options: nanobind::ro for const values.
template <class... Options, class Values>
nanobind::object view_of(const trellis::Column& column, Values* values) {
    using Memory = std::shared_ptr<std::byte>;
    const std::size_t components = column.info().components;
    const std::size_t shape[] = {column.size(), components};
    const nanobind::capsule owner(new Memory(column.memory()),
                                  [](void* memory) noexcept { delete static_cast<Memory*>(memory); });
    const auto type = column.info().integer ? nanobind::dtype<std::uint64_t>() : nanobind::dtype<double>();
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, Options...>(values, components == 1 ? 1 : 2, shape, owner, nullptr, type));
}

// An array of this shape that owns the values.
template <class T>
Array<T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    return numbers_of<T>(std::move(values), shape);
}
