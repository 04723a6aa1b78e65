// The far field of an interaction on a GPU (see device_far_field.hpp): for .cu sources. A block of threads makes the
// local expansion of one target, or computes the far field of one group.
#pragma once

#include <typeinfo>

#include "trellis/devices/gpu/launch.cuh"
#include "trellis/forces/tree/device/gpu_moments.hpp"
#include "trellis/forces/tree/expansions/cell_layout.hpp"
#include "trellis/forces/tree/expansions/l2l.hpp"
#include "trellis/forces/tree/expansions/l2p.hpp"
#include "trellis/forces/tree/expansions/m2l.hpp"
#include "trellis/forces/tree/expansions/m2p.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

// Lists of far cells are some hundred long: more threads would have less than a few each.
inline constexpr std::uint32_t threads_of_target = 32, threads_of_group = 64;

// The sums of the threads of a block, for each term, before they are added up.
template <int Order, class R, std::uint32_t threads>
struct TermSums {
    R of_threads[terms(Order)][threads + 1];  // + 1: terms begin in different banks

    // Adds up the terms of all threads, in their order, and writes them. All threads of the block call it.
    __device__ void add_up(const Terms<R, Order>& own, R* local) {
        unroll<terms(Order)>([&](auto k) { of_threads[k][threadIdx.x] = own[k]; });
        __syncthreads();
        for (std::uint32_t k = threadIdx.x; k < terms(Order); k += threads) {
            R sum = 0;
            for (std::uint32_t thread = 0; thread < threads; ++thread) sum += of_threads[k][thread];
            local[k] = sum;
        }
        __syncthreads();
    }
};

template <int Order, class R>
__device__ CellRow<Order, R> cell_of(const R* cells, std::uint32_t number) {
    return CellRow<Order, R>(cells + number * row_stride<Order, R>);
}

// The rows of the cells that the threads of a block take next, one each.
template <int Order, class R, std::uint32_t threads>
struct CellTile {
    std::uint32_t numbers[threads];
    R rows[threads][row_stride<Order, R> + 1];  // + 1: rows begin in different banks

    // Reads the rows of the cells on a list, by neighbouring threads together. All threads of the block call it.
    __device__ void read(const R* cells, const std::uint32_t* list, std::uint32_t count) {
        __syncthreads();  // all reads of the tile before are done
        if (threadIdx.x < count) numbers[threadIdx.x] = list[threadIdx.x];
        __syncthreads();
        for (std::uint32_t k = 0; k < count; ++k)
            for (std::uint32_t c = threadIdx.x; c < RowLayout<Order>::used; c += threads)
                rows[k][c] = cells[numbers[k] * row_stride<Order, R> + c];
        __syncthreads();
    }
};

template <int Order, class R>
union SharedOfTarget {
    CellTile<Order, R, threads_of_target> tile;
    TermSums<Order, R, threads_of_target> sums;
};

// Block t: the local expansion of target t (M2L).
template <int Order, class I, class R>
__global__ void __launch_bounds__(threads_of_target)
    target_locals(const I interaction, const R* __restrict__ cells, const FarTarget* __restrict__ targets,
                  const std::uint32_t* __restrict__ lists, R* __restrict__ locals) {
    __shared__ SharedOfTarget<Order, R> shared;
    const FarTarget target = targets[blockIdx.x];
    const CellRow<Order, R> own = cell_of<Order>(cells, target.cell);
    const SplitPosition<R> centre = own.centre();
    R widening = 0;
    if constexpr (Softened<I>) widening = own.widening();
    Terms<R, Order> sums{};
    for (std::uint32_t begin = 0; begin < target.cell_count; begin += threads_of_target) {
        const std::uint32_t count = ::min(threads_of_target, target.cell_count - begin);
        shared.tile.read(cells, lists + target.first_cell + begin, count);
        if (threadIdx.x < count)
            add_local<Order>(interaction, CellRow<Order, R>(shared.tile.rows[threadIdx.x]), centre, own.unit(),
                             widening, sums);
    }
    __syncthreads();
    shared.sums.add_up(sums, locals + std::size_t{blockIdx.x} * terms(Order));
}

template <class R>
struct FarFieldArrays {
    const R* rows;
    const DeviceGroup* groups;
    const R* cells;
    const FarGroup* far_groups;
    const std::uint32_t* lists;
    const FarTarget* targets;
    const R* locals;
    const FarTarget* trunk_targets;
    const R* trunk_locals;
    R* results;
    std::uint32_t target_count, trunk_count;
};

// The local expansion about the group's centre by those of the targets around it (L2L), each moved there at once by
// another thread.
template <int Order, class R>
__device__ Terms<R, Order> moved_locals(const FarFieldArrays<R>& all, const CellRow<Order, R>& own,
                                        std::uint32_t target) {
    Terms<R, Order> sums{};
    for (std::uint32_t turn = 0; turn < most_around && target != no_target; ++turn) {
        const bool trunk = (target & of_trunk) != 0;
        const std::uint32_t number = target & ~of_trunk;
        if (number >= (trunk ? all.trunk_count : all.target_count)) break;
        const FarTarget around = trunk ? all.trunk_targets[number] : all.targets[number];
        if (turn % threads_of_group == threadIdx.x) {
            const CellRow<Order, R> cell = cell_of<Order>(all.cells, around.cell);
            const R* local = (trunk ? all.trunk_locals : all.locals) + std::size_t{number} * terms(Order);
            const R per_unit = 1 / cell.unit();
            const Terms<R, Order> moved = shift_local<Order, R>(
                local, difference(own.centre(), cell.centre()) * per_unit, R(own.unit() * per_unit));
            unroll<terms(Order)>([&](auto k) { sums[k] += moved[k]; });
        }
        target = around.parent;
    }
    return sums;
}

// The field of the cells that act on an i-particle at this place about the group's centre (M2P).
template <int Order, class I, class R>
__device__ FieldValue<R> field_of_list(const I& interaction, const FarFieldArrays<R>& all, const FarGroup& far,
                                       const SplitPosition<R>& centre, const Vec3<R>& place, R own_widening) {
    FieldValue<R> sum{0, {0, 0, 0}};
    for (std::uint32_t k = 0; k < far.cell_count; ++k) {
        const CellRow<Order, R> cell = cell_of<Order>(all.cells, all.lists[far.first_cell + k]);
        R widening = 0;
        if constexpr (Softened<I>) widening = cell.widening() + own_widening;
        const FieldValue<R> value = field_of_cells<Order>(interaction, cell.from_centres(centre) + place, widening,
                                                          cell.unit(), cell.moments(R(1)));
        sum.phi += value.phi;
        sum.gradient += value.gradient;
    }
    return sum;
}

// Block g: adds the far field to the results of group g.
template <int Order, class I, class R>
__global__ void __launch_bounds__(threads_of_group) group_far_field(const I interaction, const FarFieldArrays<R> all) {
    __shared__ TermSums<Order, R, threads_of_group> shared;
    __shared__ R shared_local[terms(Order)];
    const DeviceGroup group = all.groups[blockIdx.x];
    const FarGroup far = all.far_groups[blockIdx.x];
    const CellRow<Order, R> own = cell_of<Order>(all.cells, far.cell);
    const SplitPosition<R> centre = own.centre();
    Terms<R, Order> local{};
    if (far.target != no_target) {
        shared.add_up(moved_locals<Order>(all, own, far.target), shared_local);
        unroll<terms(Order)>([&](auto k) { local[k] = shared_local[k]; });
    }
    const R per_unit = 1 / own.unit();
    for (std::uint32_t i = threadIdx.x; i < group.count; i += threads_of_group) {
        const R* row = all.rows + std::size_t{group.first_row + i} * record_stride<I>;
        const Vec3<R> place = difference(SplitPosition<R>(row), centre);
        R widening = 0;
        if constexpr (Softened<I>) widening = widening_of(target_of<I, R>(row, row)[typename I::Softening()]);
        FieldValue<R> value = field_of_list<Order>(interaction, all, far, centre, place, widening);
        if (far.target != no_target) {
            const FieldValue<R> by_local = evaluate_local<Order, R>(local, place * per_unit);
            value.phi += by_local.phi;
            value.gradient += by_local.gradient * per_unit;
        }
        add_far_field<I>(interaction, row, all.rows + std::size_t{group.first_row} * record_stride<I>, value,
                         all.results + std::size_t{group.first_result + i} * I::Result::components);
    }
}

template <class T>
T* memory_of(const KernelCall& call, std::size_t number) {
    return reinterpret_cast<T*>(call.memory[number]);
}

// The kernel locals_kernel(...).
template <int Order, class I, class R>
void launch_far_locals(const KernelCall& call) {
    const auto& header = call.get<LocalsCall>();
    if (header.target_count == 0) return;
    const auto& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(LocalsCall));
    launch_blocks(call, target_locals<Order, I, R>, header.target_count, threads_of_target, interaction,
                  memory_of<const R>(call, 0), memory_of<const FarTarget>(call, 1),
                  memory_of<const std::uint32_t>(call, 2), memory_of<R>(call, 3));
}

// The kernel far_field_kernel(...).
template <int Order, class I, class R>
void launch_far_field(const KernelCall& call) {
    const auto& header = call.get<FarFieldCall>();
    if (header.group_count == 0) return;
    const auto& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(FarFieldCall));
    const FarFieldArrays<R> all{memory_of<const R>(call, 0),
                                memory_of<const DeviceGroup>(call, 1),
                                memory_of<const R>(call, 2),
                                memory_of<const FarGroup>(call, 3),
                                memory_of<const std::uint32_t>(call, 4),
                                memory_of<const FarTarget>(call, 5),
                                memory_of<const R>(call, 6),
                                memory_of<const FarTarget>(call, 7),
                                memory_of<const R>(call, 8),
                                memory_of<R>(call, 9),
                                header.target_count,
                                header.trunk_count};
    launch_blocks(call, group_far_field<Order, I, R>, header.group_count, threads_of_group, interaction, all);
}

// Registers the kernels of an interaction for GPUs, at all orders. A second call changes nothing.
template <Expandable I>
void register_far_field() {
    register_moments();
    const auto at = []<class R, int Order>(R, std::integral_constant<int, Order>) {
        const char* name = typeid(I).name();
        register_kernel(gpu_kind, locals_kernel(name, Order, sizeof(R)), &launch_far_locals<Order, I, R>);
        register_kernel(gpu_kind, far_field_kernel(name, Order, sizeof(R)), &launch_far_field<Order, I, R>);
    };
    unroll<highest_order - 1>([&](auto k) {
        at(float(), std::integral_constant<int, k + 2>{});
        at(double(), std::integral_constant<int, k + 2>{});
    });
}

TRELLIS_GPU_END
}  // namespace trellis
