// The processor's kernels for far fields as a device computes them: see device_far_field.hpp. For kernel sources only.
#pragma once

#include <algorithm>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/forces/row_records.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/forces/tree/kernels/expansion_steps.hpp"
#include "trellis/forces/tree/kernels/far_cells.hpp"
#include "trellis/forces/tree/kernels/far_field_uses.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The rows and results of an interaction's i-particles, as far as they are known when it is compiled.
template <class I, class R>
struct FieldRows {
    static constexpr std::size_t stride(const I&) { return record_stride<I>; }
    static constexpr std::size_t results(const I&) { return I::Result::components; }
    // See add_far_field.
    static void add(const I& interaction, const R* row, const R* origin, const FieldValue<R>& value, R* results) {
        add_far_field<I>(interaction, row, origin, value, results);
    }
};

// The kernel locals_kernel(...). interaction_of(thread): for the use of that thread.
template <int Order, Expandable I, class R, class InteractionOf>
void locals_of_rows(const KernelCall& call, const InteractionOf& interaction_of) {
    constexpr std::size_t values = terms(Order), stretch = 8;
    const std::size_t targets = call.get<LocalsCall>().target_count;
    const auto* cells = reinterpret_cast<const R*>(call.memory[0]);
    const auto* target = reinterpret_cast<const FarTarget*>(call.memory[1]);
    const auto* lists = reinterpret_cast<const std::uint32_t*>(call.memory[2]);
    auto* locals = reinterpret_cast<R*>(call.memory[3]);
    parallel_tasks((targets + stretch - 1) / stretch, [&](std::size_t task, int thread) {
        const I& interaction = interaction_of(thread);
        for (std::size_t t = task * stretch; t < std::min(targets, (task + 1) * stretch); ++t) {
            const CellRow<Order, R> own(cells + target[t].cell * row_stride<Order, R>);
            std::fill_n(locals + t * values, values, R(0));
            add_local_of_cells<Order, I, R>(interaction, own.centre(), own.unit(), own.widening(),
                                            {lists + target[t].first_cell, target[t].cell_count}, cells,
                                            locals + t * values);
        }
    });
}

template <int Order, Expandable I, class R>
void row_locals(const KernelCall& call) {
    const I& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(LocalsCall));
    locals_of_rows<Order, I, R>(call, [&](int) -> const I& { return interaction; });
}

template <int Order, class R>
void row_locals_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    locals_uses(constants, uses, {sizeof(R) * row_stride<Order, R>, sizeof(Terms<R, Order>), 0, 0});
}

// The far field of one group.
template <int Order, Expandable I, class R>
class RowFarField {
  public:
    RowFarField(const I& interaction, const KernelCall& call, Workspace& workspace)
        : interaction_(interaction),
          steps_(expansion_steps<R>(Order)),
          call_(call),
          padded_(whole_lines<R>(call.get<FarFieldCall>().largest_group + 64 / sizeof(R))) {
        const std::size_t largest = call.get<FarFieldCall>().largest_group;
        workspace.start(Workspace::bytes_of<R>(8 * padded_) + Workspace::bytes_of<FieldValue<Vector<R>>>(largest));
        positions_ = workspace.take<R>(8 * padded_);
        sums_ = workspace.take<FieldValue<Vector<R>>>(largest);
    }

    void evaluate(std::size_t number) {
        const DeviceGroup& group = array<DeviceGroup>(1)[number];
        const FarGroup& far = array<FarGroup>(3)[number];
        const CellRow<Order, R> cell = this->cell(far.cell);
        for (std::uint32_t i = 0; i < group.count; ++i) place(i, row(group.first_row + i), cell.centre());
        std::fill_n(field(0), 4 * padded_, R(0));
        std::fill_n(sums_, group.count, FieldValue<Vector<R>>{});
        if (far.target != no_target) take_locals(cell, far.target, group.count);
        add_field_of_cells<Order, I, R>(interaction_, cell.centre(),
                                        {array<std::uint32_t>(4) + far.first_cell, far.cell_count}, array<R>(2),
                                        {component(0), component(1), component(2)}, component(3), group.count, sums_);
        const std::size_t results = Rows::results(interaction_);
        R* result = array<R>(9) + std::size_t{group.first_result} * results;
        for (std::uint32_t i = 0; i < group.count; ++i, result += results) write(group, i, result);
    }

  private:
    using Rows = FieldRows<I, R>;

    template <class T>
    T* array(std::size_t number) const {
        return reinterpret_cast<T*>(call_.memory[number]);
    }
    const R* row(std::size_t number) const { return array<R>(0) + number * Rows::stride(interaction_); }
    CellRow<Order, R> cell(std::size_t number) const {
        return CellRow<Order, R>(array<R>(2) + number * row_stride<Order, R>);
    }
    // Components of the i-particles: positions about the group's centre, and softenings.
    R* component(std::size_t c) const { return positions_ + c * padded_; }
    // Potential and gradient by the local expansion.
    R* field(std::size_t c) const { return positions_ + (4 + c) * padded_; }

    void place(std::uint32_t i, const R* row, const SplitPosition<R>& centre) {
        const Vec3<R> from_centre = difference(SplitPosition<R>(row), centre);
        for (std::size_t axis = 0; axis < 3; ++axis) component(axis)[i] = from_centre[axis];
        if constexpr (Softened<I>) component(3)[i] = target_of<I, R>(row, row)[typename I::Softening()];
    }

    // Each local expansion around the group is moved to its centre at once.
    void take_locals(const CellRow<Order, R>& own, std::uint32_t target, std::uint32_t count) {
        alignas(64) Terms<R, Order> local{};
        for (std::uint32_t turn = 0; turn < most_around && target != no_target; ++turn) {
            const std::size_t number = target & ~of_trunk, trunk = (target & of_trunk) != 0 ? 2 : 0;
            const auto& header = call_.get<FarFieldCall>();
            if (number >= (trunk != 0 ? header.trunk_count : header.target_count)) break;
            const FarTarget& around = array<FarTarget>(5 + trunk)[number];
            const CellRow<Order, R> cell = this->cell(around.cell);
            const R per_unit = 1 / cell.unit();
            steps_.add_parents_local(array<R>(6 + trunk) + number * terms(Order),
                                     difference(own.centre(), cell.centre()) * per_unit, own.unit() * per_unit,
                                     local.data());
            target = around.parent;
        }
        steps_.field_of_local(local.data(), 1 / own.unit(), {component(0), component(1), component(2)}, count,
                              {field(0), field(1), field(2), field(3)});
    }

    void write(const DeviceGroup& group, std::uint32_t i, R* result) {
        FieldValue<R> value{field(0)[i], {field(1)[i], field(2)[i], field(3)[i]}};
        value.phi += sum_of_lanes<R>(sums_[i].phi);
        for (std::size_t axis = 0; axis < 3; ++axis) value.gradient[axis] += sum_of_lanes<R>(sums_[i].gradient[axis]);
        Rows::add(interaction_, row(group.first_row + i), row(group.first_row), value, result);
    }

    const I& interaction_;
    ExpansionSteps<R> steps_;
    const KernelCall& call_;
    std::size_t padded_;
    R* positions_;
    FieldValue<Vector<R>>* sums_;
};

// The kernel far_field_kernel(...). interaction_of(thread): for the use of that thread.
template <int Order, Expandable I, class R, class InteractionOf>
void far_field_of_rows(const KernelCall& call, const InteractionOf& interaction_of) {
    std::vector<Workspace> workspaces(static_cast<std::size_t>(thread_count()));
    parallel_tasks(call.get<FarFieldCall>().group_count, [&](std::size_t g, int thread) {
        RowFarField<Order, I, R>(interaction_of(thread), call, workspaces[static_cast<std::size_t>(thread)])
            .evaluate(g);
    });
}

template <int Order, Expandable I, class R>
void row_far_field(const KernelCall& call) {
    const I& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(FarFieldCall));
    far_field_of_rows<Order, I, R>(call, [&](int) -> const I& { return interaction; });
}

template <int Order, class I, class R>
void row_far_field_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    far_field_uses(constants, uses,
                   {sizeof(R) * row_stride<Order, R>, sizeof(Terms<R, Order>), sizeof(R) * record_stride<I>,
                    sizeof(R) * I::Result::components});
}

TRELLIS_ISA_END
}  // namespace trellis
