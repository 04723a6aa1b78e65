// Grid kernels of a resident force that act on particles: root cell, keys, reordering.
#pragma once

#include <algorithm>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/resident/kernels/state.hpp"

namespace trellis {

// Element k: the extent of particles k, k + parts, ...
struct ExtentOfParticles {
    static constexpr const char* name = "resident.extent_of_particles";
    static constexpr Phase phase = Phase::set_root_cell;
    std::uint64_t count, parts;
    const Vec3<double>* positions = nullptr;
    Extent* extents = nullptr;
    auto arrays() { return std::tie(positions, extents); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(parts == 0 ? no_size : std::max(count, elements), elements);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        Extent all{positions[k], positions[k]};
        for (std::size_t row = k + parts; row < count; row += parts) all = join(all, {positions[row], positions[row]});
        extents[k] = all;
    }
};

// Element k: the extent of extents k, k + parts, ..., which replaces extent k.
struct ExtentOfExtents {
    static constexpr const char* name = "resident.extent_of_extents";
    static constexpr Phase phase = Phase::set_root_cell;
    std::uint64_t count, parts;
    Extent* extents = nullptr;
    auto arrays() { return std::tie(extents); }
    auto sizes(std::uint64_t elements) const { return array_sizes(parts == 0 ? no_size : std::max(count, elements)); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        Extent all = extents[k];
        for (std::size_t part = k + parts; part < count; part += parts) all = join(all, extents[part]);
        extents[k] = all;
    }
};

// One element: the root cell, from the extent of all particles.
struct RootBox {
    static constexpr const char* name = "resident.root_box";
    static constexpr Phase phase = Phase::set_root_cell;
    const Extent* extent = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(extent, state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(single(elements), single(elements)); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t) const {
        state->root = cube_around(*extent);
        // x - x is 0 only for a finite x.
        if (!(state->root.side - state->root.side == 0)) state->not_finite = 1;
    }
};

struct MakeKeys {
    static constexpr const char* name = "resident.make_keys";
    static constexpr Phase phase = Phase::calculate_key;
    const Vec3<double>* positions = nullptr;
    const ResidentValues* state = nullptr;
    std::uint64_t* keys = nullptr;
    std::uint32_t* order = nullptr;
    auto arrays() { return std::tie(positions, state, keys, order); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, elements, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        keys[k] = KeyMaker(state->root)(positions[k]);
        order[k] = static_cast<std::uint32_t>(k);
    }
};

// to[k] = from[order[k]]
template <class T>
struct Reorder {
    static constexpr const char* name = sizeof(T) == sizeof(Vec3<double>) ? "resident.reorder.vectors"
                                        : sizeof(T) == sizeof(double)     ? "resident.reorder.doubles"
                                                                          : "resident.reorder.rows";
    static constexpr Phase phase = Phase::reorder_particles;
    const std::uint32_t* order = nullptr;
    const T* from = nullptr;
    T* to = nullptr;
    auto arrays() { return std::tie(order, from, to); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { to[k] = from[order[k]]; }
};

// from[k] -= less[k]
struct Subtract {
    static constexpr const char* name = "resident.subtract";
    static constexpr Phase phase = Phase::reorder_particles;
    const Vec3<double>* less = nullptr;
    Vec3<double>* from = nullptr;
    auto arrays() { return std::tie(less, from); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { from[k] -= less[k]; }
};

using ParticleGridKernels = GridKernels<ExtentOfParticles, ExtentOfExtents, RootBox, MakeKeys, Reorder<Vec3<double>>,
                                        Reorder<double>, Reorder<std::uint32_t>, Subtract>;

}  // namespace trellis
