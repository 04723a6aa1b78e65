#include "trellis/particles/particle_set.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/particles/finite.hpp"
#include "trellis/particles/image.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr std::align_val_t alignment{64};
constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

// Without the columns of forces and steps, whose names begin with _.
std::string names_of(const std::vector<std::unique_ptr<Column>>& columns) {
    std::string names;
    for (const auto& column : columns)
        if (!column->info().name.starts_with('_')) names += (names.empty() ? "" : ", ") + column->info().name;
    return names;
}

void check_size(std::size_t size) {
    if (size >= no_row)
        throw InputError("a particle set holds at most 4294967294 particles on one process, not " +
                         std::to_string(size));
}

}  // namespace

Column::Column(FieldInfo info, std::size_t size) : info_(std::move(info)) { move_to(memory_for(size), size, {}); }

std::shared_ptr<std::byte> Column::memory_for(std::size_t size) const {
    const std::size_t bytes = std::max<std::size_t>(size * info_.components * sizeof(double), 1);
    return {static_cast<std::byte*>(::operator new(bytes, alignment)),
            [](std::byte* memory) { ::operator delete(memory, alignment); }};
}

void Column::move_to(std::shared_ptr<std::byte> memory, std::size_t size, std::span<const std::uint32_t> kept) {
    const std::size_t width = info_.components;
    const std::uint64_t* from = integers();
    auto* to = reinterpret_cast<std::uint64_t*>(memory.get());
    // The memory is first touched by the threads that will use it.
    parallel_for(size, [&](std::size_t row) {
        if (row < kept.size())
            std::copy_n(from + kept[row] * width, width, to + row * width);
        else
            std::fill_n(to + row * width, width, 0);
    });
    data_ = std::move(memory);
    size_ = size;
}

void Column::permute(std::span<const std::uint32_t> order) {
    const std::size_t width = info_.components;
    const std::unique_ptr<std::uint64_t[]> old(new std::uint64_t[size_ * width]);
    parallel_for(size_ * width, [&](std::size_t k) { old[k] = integers()[k]; });
    parallel_for(size_,
                 [&](std::size_t row) { std::copy_n(&old[order[row] * width], width, integers() + row * width); });
}

ParticleSet::ParticleSet(std::size_t size) : size_(size) {
    check_size(size);
    add(position);
    add(velocity);
    add(mass);
    const auto ids = add(id);
    parallel_for(size, [&](std::size_t row) { ids[row] = row; });
    add(acceleration);
    add(potential);
}

Column& ParticleSet::add(const FieldInfo& info) {
    if (has(info.name)) throw InputError("the particles have a field '" + info.name + "' already");
    if (info.components != 1 && info.components != 3)
        throw InputError("field '" + info.name + "' has " + std::to_string(info.components) +
                         " components: allowed are 1 and 3");
    columns_.push_back(std::make_unique<Column>(info, size_));
    return *columns_.back();
}

bool ParticleSet::has(std::string_view name) const {
    return std::ranges::any_of(columns_, [&](const auto& column) { return column->info().name == name; });
}

const Column& ParticleSet::column(std::string_view name) const {
    for (const auto& column : columns_)
        if (column->info().name == name) return *column;
    throw InputError("the particles have no field '" + std::string(name) + "': they have " + names_of(columns_));
}

Column& ParticleSet::column(std::string_view name) { return const_cast<Column&>(std::as_const(*this).column(name)); }

void ParticleSet::permute(std::span<const std::uint32_t> order) {
    for (const auto& column : columns_) column->permute(order);
    ++arrangement_;
}

void ParticleSet::replace_rows(std::span<const std::uint32_t> kept, std::size_t added) {
    check_size(added);
    const std::size_t size = kept.size() + added, none = kept.size();
    check_size(size);
    const std::size_t bad = parallel_reduce(
        kept.size(), none,
        [&](std::size_t begin, std::size_t end) {
            while (begin < end && kept[begin] < size_) ++begin;
            return begin < end ? begin : none;
        },
        [](std::size_t a, std::size_t b) { return std::min(a, b); });
    if (bad != none)
        throw InputError("row " + std::to_string(kept[bad]) + " cannot be kept: the particles have " +
                         std::to_string(size_) + " rows, numbered from 0");
    // All of the memory is allocated first, so that nothing has changed if there is too little; one column at a time
    // touches it.
    std::vector<std::shared_ptr<std::byte>> memory;
    memory.reserve(columns_.size());
    for (const auto& column : columns_) memory.push_back(column->memory_for(size));
    for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k]->move_to(std::move(memory[k]), size, kept);
    size_ = size;
    ++arrangement_;
}

void ParticleSet::set_region(const Region& region) {
    region.check();
    region_ = region;
}

void ParticleSet::wrap_positions() {
    if (!region_.periodic()) return;
    check_finite(Position::name);
    const auto positions = (*this)[position];
    const std::span<Vec3<double>> images = has(Image::name) ? (*this)[image] : std::span<Vec3<double>>{};
    parallel_for(size_, [&](std::size_t row) {
        const Vec3<double> before = positions[row], inside = region_.wrapped(before);
        positions[row] = inside;
        if (images.empty() || inside == before) return;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (region_.periodic(axis))
                images[row][axis] +=
                    std::round((before[axis] - inside[axis]) / (region_.high[axis] - region_.low[axis]));
    });
}

void ParticleSet::check_finite(std::string_view name) const {
    const Column& checked = column(name);
    const double* values = checked.values();
    const std::size_t width = checked.info().components;
    const auto finite = [&](std::size_t begin, std::size_t end) { return all_finite({values + begin, values + end}); };
    if (parallel_reduce(size_ * width, true, finite, std::logical_and<>())) return;
    const auto* found = std::find_if_not(values, values + size_ * width, [](double v) { return std::isfinite(v); });
    const auto bad = static_cast<std::size_t>(found - values);
    throw InputError("column '" + std::string(name) + "' is " +
                     (std::isnan(values[bad]) ? "not a number" : "infinite") + " at index " +
                     std::to_string(bad / width) + ": only finite values are allowed");
}

}  // namespace trellis
