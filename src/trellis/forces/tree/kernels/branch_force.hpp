// The force of one branch: local expansions down to the groups, then each group's list. For kernel sources only.
#pragma once

#include "trellis/forces/components.hpp"
#include "trellis/forces/tree/kernels/expansion_steps.hpp"
#include "trellis/forces/tree/kernels/far_cells.hpp"
#include "trellis/forces/tree/kernels/near_pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The steps of the far field at one order, of the interaction and of the library. Order 1, superparticles alone, has no
// terms and no steps.
template <class I, class R>
struct FieldSteps {
    std::size_t terms = 0;
    ExpansionSteps<R> expansion{};
    void (*add_local_of_cells)(const I& interaction, const SplitPosition<R>& centre, R unit, R widening,
                               std::span<const std::uint32_t> far, const R* rows, R* local) = nullptr;  // M2L
    void (*add_field_of_cells)(const I& interaction, const SplitPosition<R>& centre,
                               std::span<const std::uint32_t> cells, const R* rows,
                               const std::array<const R*, 3>& positions, const R* softenings, std::size_t count,
                               FieldValue<Vector<R>>* sums) = nullptr;  // M2P
};

template <class I, class R, int Order>
FieldSteps<I, R> field_steps() {
    if constexpr (Order > 1)
        return {static_cast<std::size_t>(terms(Order)), expansion_steps<R>(Order), add_local_of_cells<Order, I, R>,
                add_field_of_cells<Order, I, R>};
    return {};
}

template <class I, class R>
class BranchForce {
  public:
    // Local expansions have steps.terms values each: see OrderKernels::evaluate.
    BranchForce(const I& interaction, const FieldSteps<I, R>& steps, const Scene& scene, const Branch& branch,
                const R* rows, R* trunk_locals, R* kept_locals, Workspace& workspace)
        : interaction_(interaction),
          steps_(steps),
          scene_(scene),
          branch_(branch),
          rows_(rows),
          trunk_locals_(trunk_locals),
          kept_locals_(kept_locals),
          largest_(largest_group(scene, branch)),
          workspace_(start(workspace)),
          locals_(is_trunk() ? trunk_locals : workspace_.take<R>(local_values())),
          field_(workspace_.take<R>(4 * Pairs::padded(largest_))),
          cell_sums_(workspace_.take<FieldValue<Vector<R>>>(has_moments() ? largest_ : 0)),
          pairs_(interaction, scene, largest_, workspace_),
          near_(interaction, scene, branch, pairs_, largest_, workspace_) {}

    Work run() {
        for (std::size_t t = 0; t < branch_.targets.size(); ++t) {
            if (has_locals()) make_local(t);
            if (branch_.targets[t].group) evaluate_group(t);
        }
        return work_;
    }

  private:
    using Pairs = GroupPairs<I, R>;

    bool is_trunk() const { return &branch_ == &scene_.lists->trunk; }
    bool has_moments() const { return steps_.terms > 0; }
    bool has_locals() const { return scene_.receiver == Receiver::cell; }
    std::size_t local_values() const { return has_locals() ? branch_.targets.size() * steps_.terms : 0; }

    static std::size_t largest_group(const Scene& scene, const Branch& branch) {
        std::size_t largest = 0;
        for (const Target& target : branch.targets)
            if (target.group) largest = std::max<std::size_t>(largest, scene.cells[target.cell].count);
        return largest;
    }

    Workspace& start(Workspace& workspace) const {
        workspace.start(Workspace::bytes_of<R>(local_values()) + Workspace::bytes_of<R>(4 * Pairs::padded(largest_)) +
                        Workspace::bytes_of<FieldValue<Vector<R>>>(largest_) +
                        Pairs::workspace_bytes(interaction_, largest_) +
                        NearPairs<I, R>::workspace_bytes(interaction_, scene_, largest_));
        return workspace;
    }

    // A target and its branch.
    struct Place {
        const Branch* branch;
        std::size_t target;
        const Target& operator*() const { return branch->targets[target]; }
    };
    bool is_root(const Place& place) const { return (*place).cell == 0; }
    Place parent_of(const Place& place) const {
        return {place.target == 0 ? &scene_.lists->trunk : place.branch, (*place).parent};
    }

    const Vec3<double>& image_of(const Branch& branch, std::size_t list) const {
        return scene_.lists->images[branch.lists[list].image];
    }

    // Makes a local expansion from the far cells of the target (M2L) and the expansion of the enclosing target (L2L).
    void make_local(std::size_t t) {
        R* local = (scene_.part == Part::local ? kept_locals_ : locals_) + t * steps_.terms;
        std::fill_n(local, steps_.terms, R(0));
        for (const std::size_t list : branch_.lists_of(t)) {
            const auto cells = branch_.far_of(list);
            if (cells.empty()) continue;
            add_far_cells(branch_.targets[t].cell, image_of(branch_, list), cells, local);
            work_.expansions += cells.size();
        }
        if (scene_.part == Part::local) return;
        if (scene_.part == Part::imported)
            for (std::size_t k = 0; k < steps_.terms; ++k) local[k] += kept_locals_[t * steps_.terms + k];
        const Place here{&branch_, t};
        if (!is_root(here)) add_parents_local(parent_of(here), branch_.targets[t].cell, local);
    }

    // image: the shift of the cells' image.
    void add_far_cells(std::uint32_t target, const Vec3<double>& image, std::span<const std::uint32_t> cells,
                       R* local) {
        const SplitPosition<R> centre(scene_.spheres[target].centre - image - scene_.corner);
        const double widening = Softened<I> ? widening_of(scene_.cell_softenings[target]) : 0;
        steps_.add_local_of_cells(interaction_, centre, static_cast<R>(scene_.units[target]), static_cast<R>(widening),
                                  cells, rows_, local);
    }

    void add_parents_local(const Place& parent, std::uint32_t cell, R* local) {
        const R* locals = parent.branch == &branch_ ? locals_ : trunk_locals_;
        const std::uint32_t parent_cell = (*parent).cell;
        const double per_unit = 1 / scene_.units[parent_cell];
        const Vec3<double> apart = scene_.spheres[cell].centre - scene_.spheres[parent_cell].centre;
        steps_.expansion.add_parents_local(locals + parent.target * steps_.terms, rounded<R>(apart * per_unit),
                                           static_cast<R>(scene_.units[cell] * per_unit), local);
    }

    void evaluate_group(std::size_t t) {
        const Cell& group = scene_.cells[branch_.targets[t].cell];
        std::fill_n(field_, 4 * Pairs::padded(group.count), R(0));
        if (has_moments()) std::fill_n(cell_sums_, group.count, FieldValue<Vector<R>>{});
        begin_group(t, group);
        if (has_moments()) take_cells_of(t, group);
        if (has_locals() && scene_.part != Part::local) take_local(t, group);
        if (near_.add(t)) {
            begin_group(t, group);
            pairs_.flush();
            write_back_in_double(t, group);
        }
        work_.pairs += pairs_.pairs();
        write_back(group);
    }

    // Begins the sums over pairs, by those with superparticles.
    void begin_group(std::size_t t, const Cell& group) {
        pairs_.begin(group, scene_.spheres[branch_.targets[t].cell].centre);
        if (!has_moments()) take_cells_of(t, group);
    }

    // Takes the cells that act on each particle of the group.
    void take_cells_of(std::size_t t, const Cell& group) {
        if (!has_locals()) return take_far_cells(t, group);
        for (const std::size_t list : branch_.lists_of(t))
            take_cells(branch_.super_of(list), image_of(branch_, list), group);
    }

    // Takes the far cells of all targets around the group, as superparticles.
    void take_far_cells(std::size_t t, const Cell& group) {
        Place place{&branch_, t};
        while (true) {
            for (const std::size_t list : place.branch->lists_of(place.target))
                take_cells(place.branch->far_of(list), image_of(*place.branch, list), group);
            if (is_root(place)) return;
            place = parent_of(place);
        }
    }

    // Takes far cells by P2P or M2P. image: the shift of their image.
    void take_cells(std::span<const std::uint32_t> cells, const Vec3<double>& image, const Cell& group) {
        if (!has_moments()) return pairs_.add_superparticles(cells, image, rows_);
        work_.pairs += cells.size() * group.count;
        work_.multipoles += cells.size() * group.count;
        const SplitPosition<R> centre(pairs_.centre() - image - scene_.corner);
        steps_.add_field_of_cells(interaction_, centre, cells, rows_, positions(), softenings(), group.count,
                                  cell_sums_);
    }

    // Takes the local expansion (L2P).
    void take_local(std::size_t t, const Cell& group) {
        const R per_unit = static_cast<R>(1 / scene_.units[branch_.targets[t].cell]);
        steps_.expansion.field_of_local(locals_ + t * steps_.terms, per_unit, positions(), group.count,
                                        {field(0, group), field(1, group), field(2, group), field(3, group)});
    }

    R* field(std::size_t component, const Cell& group) { return field_ + component * Pairs::padded(group.count); }
    std::array<const R*, 3> positions() const { return {pairs_.target(0), pairs_.target(1), pairs_.target(2)}; }
    const R* softenings() const {
        if constexpr (Softened<I>) return pairs_.target(softening_in<typename I::Target, I>);
        return nullptr;
    }

    // The far field from the local expansion and from superparticles with moments.
    FieldValue<double> far_field(std::size_t i, const Cell& group) {
        FieldValue<double> value{field(0, group)[i], {field(1, group)[i], field(2, group)[i], field(3, group)[i]}};
        if (has_moments()) {
            value.phi += sum_of_lanes<R>(cell_sums_[i].phi);
            for (std::size_t axis = 0; axis < 3; ++axis)
                value.gradient[axis] += sum_of_lanes<R>(cell_sums_[i].gradient[axis]);
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
            } else if constexpr (requires(const FieldValue<double>& value) { pairs_.add_far_field(i, value, sum); }) {
                if (has_moments()) pairs_.add_far_field(i, far_field(i, group), sum);
            }
            write_back(group.first + i, sum);
        }
    }

    // Adds the near pairs alone, in double precision, to the results.
    void write_back_in_double(std::size_t t, const Cell& group) {
        auto& near = near_.in_double(t);
        work_.pairs += near.pairs();
        for (std::size_t i = 0; i < group.count; ++i) {
            auto sum = near.sum(i);
            write_back(group.first + i, sum);
        }
    }

    template <class Sum>
    void write_back(std::size_t slot, Sum& sum) {
        if constexpr (requires { interaction_.finish(sum); }) interaction_.finish(sum);
        const std::size_t row = scene_.order[slot];
        sum.each_component(
            [&](double& value, std::size_t c) { scene_.results[c].values[row * scene_.results[c].stride] += value; });
    }

    const I& interaction_;
    const FieldSteps<I, R>& steps_;
    const Scene& scene_;
    const Branch& branch_;
    const R* rows_;
    R* trunk_locals_;
    R* kept_locals_;
    std::size_t largest_;
    Workspace& workspace_;
    R* locals_;                         // one expansion for each target
    R* field_;                          // potential and gradient at the i-particles
    FieldValue<Vector<R>>* cell_sums_;  // the same from superparticles with moments, one partial sum a lane
    Pairs pairs_;
    NearPairs<I, R> near_;
    Work work_;
};

TRELLIS_ISA_END
}  // namespace trellis
