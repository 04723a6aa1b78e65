#include "trellis/forces/tree_force.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/lists/walk.hpp"

namespace trellis {

namespace {

// Single precision reaches from 1e-38 to 1e38. Between these sides of the root cell and these total strengths, strengths over
// powers of distances, down to the cells of the deepest level, stay within.
constexpr double smallest_single_side = 1e-5, largest_single_side = 1e9;
constexpr double smallest_single_strength = 1e-20, largest_single_strength = 1e20;

}  // namespace

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings)
    : kernels_(std::move(kernels)),
      interaction_(std::move(interaction)),
      coupling_(std::abs(coupling)),
      precision_(settings.precision),
      choice_(choose(settings, kernels_.expandable)) {}

Work TreeForce::add(ParticleSet& particles, std::span<const double> previous, Phases& phases) {
    check(particles);
    tree_.build(particles[position], choice_.leaf_size, phases);
    {
        const PhaseTimer timer(phases, Phase::reorder_particles);
        columns_.gather(particles, kernels_.fields, tree_.order());
    }
    make_moments(phases);
    make_lists(previous, phases);
    return evaluate(particles, phases);
}

void TreeForce::reference(const ParticleSet& particles, std::uint32_t row, double* values) const {
    kernels_.reference(interaction_.get(), particles, row, values);
}

void TreeForce::check(const ParticleSet& particles) const {
    std::size_t component = 0;
    for (const FieldInfo& field : kernels_.fields) {
        particles.check_finite(field.name);
        if (component == kernels_.strength && kernels_.strength_has_one_sign) {
            const auto* values = particles.column(field.name).values();
            const auto* negative = std::find_if(values, values + particles.size(), [](double v) { return v < 0; });
            if (negative != values + particles.size())
                throw InputError("column '" + field.name + "' is " + to_text(*negative) + " at index " +
                                 std::to_string(negative - values) + ": allowed is 0 or more");
        }
        component += field.components;
    }
}

const ForceKernels& TreeForce::arithmetic() const {
    const double side = tree_.root_box().side, strength = moments_.weights()[0];
    const bool fits = side > smallest_single_side && side < largest_single_side &&
                      (strength == 0 || (strength > smallest_single_strength && strength < largest_single_strength));
    const bool single = precision_ == Precision::automatic ? fits : precision_ == Precision::single_;
    return single ? kernels_.single_precision : kernels_.double_precision;
}

void TreeForce::make_moments(Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    moments_.compute(tree_, columns_, kernels_.strength);
    // The unit of length of a cell's expansions is its radius. The cells of one place have nothing that depends on it, so that it
    // need only be small enough for its powers not to overflow.
    const auto cells = tree_.cells();
    const auto levels = tree_.levels();
    const auto unit = [&](std::size_t c, double largest) {
        const double radius = moments_.spheres()[c].radius;
        return radius > 0 ? radius : std::min(tree_.side(cells[c]), largest);
    };
    units_.resize(cells.size());
    if (!cells.empty()) units_[0] = unit(0, tree_.root_box().side);
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t parent = levels[level] + k;
            if (cells[parent].is_leaf()) return;
            for (const std::size_t child : {std::size_t{cells[parent].child}, std::size_t{cells[parent].child} + 1})
                units_[child] = unit(child, units_[parent]);
        });
}

void TreeForce::make_lists(std::span<const double> previous, Phases& phases) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    tolerance_.clear();
    if (choice_.criterion == Criterion::relative && !previous.empty()) {
        const auto order = tree_.order();
        tolerance_.resize(order.size());
        parallel_for(order.size(), [&](std::size_t slot) {
            tolerance_[slot] = choice_.tolerance * previous[order[slot]] / coupling_;
        });
    }
    trellis::make_lists(tree_, moments_, choice_.opening, choice_.group_size, tolerance_, lists_);
}

std::vector<ResultComponent> TreeForce::result_components(ParticleSet& particles) const {
    std::vector<ResultComponent> results;
    for (const FieldInfo& field : kernels_.results)
        for (std::size_t c = 0; c < field.components; ++c)
            results.push_back({particles.column(field.name).values() + c, field.components});
    return results;
}

// What the interaction reads of leaves and cells, rounded to its precision: EPJ and SPJ.
void TreeForce::prepare(Scene& scene, const ForceKernels& kernels, std::byte* j_particles, std::byte* table) {
    constexpr std::size_t stretch = 256;
    const auto in_stretches = [&](std::size_t begin, std::size_t end, const auto& work) {
        parallel_tasks((end - begin + stretch - 1) / stretch, [&](std::size_t task, int) {
            work(begin + task * stretch, std::min(begin + (task + 1) * stretch, end));
        });
    };
    in_stretches(0, scene.cells.size(),
                 [&](std::size_t begin, std::size_t end) { kernels.j_particles(scene, begin, end, j_particles); });
    scene.j_particles = j_particles;
    const auto levels = tree_.levels();
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        in_stretches(levels[level], levels[level + 1], [&](std::size_t begin, std::size_t end) {
            kernels.describe_cells(scene, kernels_.strength, begin, end, table);
        });
}

Work TreeForce::evaluate(ParticleSet& particles, Phases& phases) {
    const auto cells = tree_.cells();
    if (cells.empty()) return {};
    std::vector<const double*> columns, sums;
    for (std::size_t c = 0; c < columns_.component_count(); ++c) columns.push_back(columns_.component(c));
    for (std::size_t c = 3; c < columns_.component_count(); ++c) sums.push_back(moments_.sum(c));
    const auto results = result_components(particles);
    const int order = choice_.opening.order;
    Scene scene{cells,
                moments_.spheres().data(),
                units_.data(),
                tree_.root_box().low,
                columns,
                nullptr,
                sums,
                tree_.order().data(),
                &lists_,
                results,
                choice_.opening.receiver,
                order};
    const ForceKernels& kernels = arithmetic();
    const std::size_t table_bytes = cells.size() * kernels.row_bytes(order);
    const std::size_t j_bytes = kernels_.source_components * padded_slots(columns_.size()) * kernels.value_bytes;
    cell_rows_.start(table_bytes);
    j_particles_.start(j_bytes);
    auto* table = cell_rows_.take<std::byte>(table_bytes);
    {
        const PhaseTimer timer(phases, Phase::calculate_moments);
        prepare(scene, kernels, j_particles_.take<std::byte>(j_bytes), table);
    }
    const PhaseTimer timer(phases, Phase::force_kernel);
    workspaces_.resize(static_cast<std::size_t>(thread_count()));
    std::vector<std::byte> trunk_locals(lists_.trunk.targets.size() * kernels.row_bytes(order));
    Work work = kernels.evaluate(interaction_.get(), scene, lists_.trunk, table, trunk_locals.data(), workspaces_[0]);
    std::vector<Work> branch_work(lists_.branches.size());
    parallel_tasks(lists_.branches.size(), [&](std::size_t b, int thread) {
        branch_work[b] = kernels.evaluate(interaction_.get(), scene, lists_.branches[b], table, trunk_locals.data(),
                                          workspaces_[static_cast<std::size_t>(thread)]);
    });
    for (const Work& part : branch_work) work += part;
    return work;
}

}  // namespace trellis
