// The force of one branch: local expansions down to the groups, then each group's list. For kernel sources only.
#pragma once

#include "trellis/forces/components.hpp"
#include "trellis/forces/far_field.hpp"
#include "trellis/forces/pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class R, int Order, Receiver For>
class BranchForce {
  public:
    using Local = Terms<R, Order>;
    static constexpr std::size_t width = lanes<R>;

    BranchForce(const I& interaction, const Scene& scene, const Branch& branch, const R* table, Local* trunk_locals,
                Local* kept_locals, Workspace& workspace)
        : interaction_(interaction),
          scene_(scene),
          branch_(branch),
          table_(table),
          trunk_locals_(trunk_locals),
          kept_locals_(kept_locals),
          largest_(largest_group(scene, branch)),
          workspace_(start(workspace)),
          locals_(is_trunk() ? trunk_locals
                             : workspace_.take<Local>(For == Receiver::cell ? branch.targets.size() : 0)),
          field_(workspace_.take<R>(4 * Pairs::padded(largest_))),
          cell_sums_(workspace_.take<FieldValue<Batch<R>>>(superparticles_have_moments ? largest_ : 0)),
          pairs_(interaction, scene, largest_, workspace_) {}

    Work run() {
        for (std::size_t t = 0; t < branch_.targets.size(); ++t) {
            if constexpr (For == Receiver::cell) make_local(t);
            if (branch_.targets[t].group) evaluate_group(t);
        }
        return work_;
    }

  private:
    using Pairs = GroupPairs<I, R>;
    static constexpr bool superparticles_have_moments = Order > 1;

    bool is_trunk() const { return &branch_ == &scene_.lists->trunk; }

    static std::size_t largest_group(const Scene& scene, const Branch& branch) {
        std::size_t largest = 0;
        for (const Target& target : branch.targets)
            if (target.group) largest = std::max<std::size_t>(largest, scene.cells[target.cell].count);
        return largest;
    }

    Workspace& start(Workspace& workspace) const {
        workspace.start(Workspace::bytes_of<Local>(branch_.targets.size()) +
                        Workspace::bytes_of<R>(4 * Pairs::padded(largest_)) +
                        Workspace::bytes_of<FieldValue<Batch<R>>>(largest_) + Pairs::workspace_bytes(largest_));
        return workspace;
    }

    // From the enclosing target's expansion (L2L) and the target's own far cells (M2L).
    void make_local(std::size_t t) {
        const Target& target = branch_.targets[t];
        const auto cells = branch_.far_of(t);
        Local local = local_of_cells<Order, I, R>(interaction_, scene_, target.cell, cells, table_);
        work_.expansions += cells.size();
        if (scene_.part == Part::own) {
            kept_locals_[t] = local;
            return;
        }
        if (scene_.part == Part::grafted)
            for (std::size_t k = 0; k < local.size(); ++k) local[k] += kept_locals_[t][k];
        const bool root = target.cell == 0;
        if (!root) {
            const bool parent_in_trunk = is_trunk() || t == 0;
            const std::uint32_t parent_cell =
                (parent_in_trunk ? scene_.lists->trunk : branch_).targets[target.parent].cell;
            const Local& parent = (parent_in_trunk ? trunk_locals_ : locals_)[target.parent];
            const double per_unit = 1 / scene_.units[parent_cell];
            const Local moved = shift_local<Order, R>(
                parent,
                rounded<R>((scene_.spheres[target.cell].centre - scene_.spheres[parent_cell].centre) * per_unit),
                static_cast<R>(scene_.units[target.cell] * per_unit));
            for (std::size_t k = 0; k < local.size(); ++k) local[k] += moved[k];
        }
        locals_[t] = local;
    }

    void evaluate_group(std::size_t t) {
        const Cell& group = scene_.cells[branch_.targets[t].cell];
        pairs_.begin(group, scene_.spheres[branch_.targets[t].cell].centre);
        std::fill_n(field_, 4 * Pairs::padded(group.count), R(0));
        for (std::size_t i = 0; superparticles_have_moments && i < group.count; ++i) cell_sums_[i] = {};
        if constexpr (For == Receiver::cell) {
            take_cells(branch_.super_of(t), group);
            if (scene_.part != Part::own) take_local(t, group);
        } else {
            take_far_cells(t, group);
        }
        add_near_leaves(branch_.near_of(t), group);
        if (scene_.part == Part::grafted)
            pairs_.flush();
        else
            pairs_.add_own();
        work_.pairs += pairs_.pairs();
        write_back(group);
    }

    void add_near_leaves(std::span<const std::uint32_t> leaves, const Cell& group) {
        constexpr std::size_t ahead = 6;  // enough to hide the memory's latency behind the copies in between
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            if (k + ahead < leaves.size()) pairs_.prefetch_leaf(leaves[k + ahead]);
            const std::uint32_t first = scene_.cells[leaves[k]].first;
            if (first < group.first || first >= group.end()) pairs_.add_leaf(leaves[k]);
        }
    }

    R* field(std::size_t component, const Cell& group) { return field_ + component * Pairs::padded(group.count); }

    // Local expansion at the i-particles (L2P).
    void take_local(std::size_t t, const Cell& group) {
        using V = Batch<R>;
        const R per_unit = static_cast<R>(1 / scene_.units[branch_.targets[t].cell]);
        Terms<V, Order> local;
        for (std::size_t k = 0; k < local.size(); ++k) local[k] = V(locals_[t][k]);
        for (std::size_t i = 0; i < group.count; i += width) {
            const Vec3<V> y{load(pairs_.target(0) + i), load(pairs_.target(1) + i), load(pairs_.target(2) + i)};
            const FieldValue<V> value = evaluate_local<Order, V>(local, y * V(per_unit));
            store(value.phi, field(0, group) + i);
            store(V(value.gradient.x * per_unit), field(1, group) + i);
            store(V(value.gradient.y * per_unit), field(2, group) + i);
            store(V(value.gradient.z * per_unit), field(3, group) + i);
        }
    }

    // The far cells of all targets around the group, as superparticles.
    void take_far_cells(std::size_t t, const Cell& group) {
        const Branch* branch = &branch_;
        while (true) {
            take_cells(branch->far_of(t), group);
            if (branch->targets[t].cell == 0) return;
            if (t == 0) {
                t = branch->targets[0].parent;
                branch = &scene_.lists->trunk;
            } else {
                t = branch->targets[t].parent;
            }
        }
    }

    void take_cells(std::span<const std::uint32_t> cells, const Cell& group) {
        if constexpr (Order == 1)
            pairs_.add_superparticles(cells, table_);
        else
            take_multipoles(cells, group);
    }

    void take_multipoles(std::span<const std::uint32_t> cells, const Cell& group) {
        using V = Batch<R>;
        const SplitPosition<R> centre(pairs_.centre() - scene_.corner);
        work_.pairs += cells.size() * group.count;
        work_.multipoles += cells.size() * group.count;
        for (std::size_t next = 0; next < cells.size(); next += width) {
            const std::size_t count = std::min(cells.size() - next, width);
            const CellBatch<Order, R> batch(cells.data() + next, count, table_);
            const Vec3<V> from_centres = batch.from_centres(centre);
            const V unit = batch.unit();
            const auto moment = batch.moments(V(R(1)));
            for (std::size_t i = 0; i < group.count; ++i) {
                const Vec3<V> place{V(pairs_.target(0)[i]), V(pairs_.target(1)[i]), V(pairs_.target(2)[i])};
                const auto value = field_of_cells<Order>(interaction_, from_centres + place, unit, moment);
                cell_sums_[i].phi += value.phi;
                cell_sums_[i].gradient += value.gradient;
            }
        }
    }

    // From the local expansion and from superparticles with moments.
    FieldValue<double> far_field(std::size_t i, const Cell& group) {
        FieldValue<double> value{field(0, group)[i], {field(1, group)[i], field(2, group)[i], field(3, group)[i]}};
        if constexpr (superparticles_have_moments) {
            value.phi += std::experimental::reduce(cell_sums_[i].phi);
            for (std::size_t axis = 0; axis < 3; ++axis)
                value.gradient[axis] += std::experimental::reduce(cell_sums_[i].gradient[axis]);
        }
        return value;
    }

    void write_back(const Cell& group) {
        for (std::size_t i = 0; i < group.count; ++i) {
            auto sum = pairs_.sum(i);
            if constexpr (Expandable<I>) {
                Record<typename I::Target, double> target;
                target.each_component([&](double& value, std::size_t c) { value = pairs_.target(c)[i]; });
                const FieldValue<double> value = far_field(i, group);
                interaction_.far_field(target, value.phi, value.gradient, sum);
            }
            if constexpr (requires { interaction_.finish(sum); }) interaction_.finish(sum);
            const std::size_t row = scene_.order[group.first + i];
            sum.each_component([&](double& value, std::size_t c) {
                scene_.results[c].values[row * scene_.results[c].stride] += value;
            });
        }
    }

    const I& interaction_;
    const Scene& scene_;
    const Branch& branch_;
    const R* table_;
    Local* trunk_locals_;
    Local* kept_locals_;
    std::size_t largest_;
    Workspace& workspace_;
    Local* locals_;                    // one a target
    R* field_;                         // potential and gradient at the i-particles
    FieldValue<Batch<R>>* cell_sums_;  // the same of superparticles, one partial sum a lane
    Pairs pairs_;
    Work work_;
};

TRELLIS_ISA_END
}  // namespace trellis
