#include "trellis/lists/walk/listed_tree.hpp"

#include <functional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/walk/recheck.hpp"
#include "trellis/tree/predicted_fields.hpp"

namespace trellis {

ListedTree::ListedTree(std::vector<FieldInfo> fields, std::size_t source_components, std::size_t strength,
                       const Opening& opening, std::uint32_t group_size, std::uint32_t leaf_size,
                       std::optional<std::size_t> softening)
    : fields_(std::move(fields)),
      source_components_(source_components),
      strength_(strength),
      opening_(opening),
      group_size_(group_size),
      leaf_size_(leaf_size),
      softening_(softening) {}

void ListedTree::build(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
                       Phases& phases, std::span<const Prediction> predictions) {
    const auto* values = reinterpret_cast<const Vec3<double>*>(particles.column(positions).values());
    tree_.build({values, particles.size()}, leaf_size_, columns_.make_room(fields_, particles.size()), phases);
    read(particles, positions, predictions, phases);
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    find_tolerances(tree_, tolerance, tolerances_);
    find_sizes(tree_, moments_, opening_, sizes_);
    scale_ = tree_.order().empty() ? Scale{} : Scale{.side = tree_.root_box().side, .weight = moments_.weights()[0]};
}

void ListedTree::add_imported(const ImportedCells& imported) {
    tree_.add_imported(imported);
    refresh_imported(imported);
    const std::size_t own = tree_.local_cells();
    if (opening_.receiver == Receiver::cell) return;
    sizes_.resize(tree_.cells().size());
    parallel_for(imported.cells.size(), [&](std::size_t k) {
        const double radius = imported.spheres[k].radius;
        sizes_[own + k] = {imported.sizes.empty() ? radius : imported.sizes[k], radius};
    });
}

void ListedTree::refresh(const ParticleSet& particles, Phases& phases, std::span<const Prediction> predictions) {
    read(particles, Position::name, predictions, phases);
}

void ListedTree::refresh_imported(const ImportedCells& imported) {
    columns_.append(imported.components);
    moments_.add_imported(tree_, imported, columns_);
}

Walk ListedTree::start(InteractionLists& lists, bool own, bool imported) {
    roots_.clear();
    if (own) roots_.push_back(0);
    const auto levels = tree_.imported_levels();
    if (imported && levels.size() > 1)
        for (std::uint32_t root = levels[0]; root < levels[1]; ++root) roots_.push_back(root);
    return {walk_cells(tree_, moments_), sizes_, opening_, group_size_, tolerances_, roots_, lists};
}

bool ListedTree::hold(InteractionLists& lists, double skin, Phases& phases) {
    const PhaseTimer timer(phases, Phase::check_lists);
    return still_accepted(tree_, moments_, opening_, sizes_, tolerances_, skin, lists);
}

void ListedTree::read(const ParticleSet& particles, std::string_view positions, std::span<const Prediction> predictions,
                      Phases& phases) {
    {
        const PhaseTimer timer(phases, Phase::reorder_particles);
        fields_[0].name = positions;
        const PredictedFields predict(columns_, particles, fields_, tree_.order(), predictions);
        columns_.gather(particles, fields_, tree_.order(), std::cref(predict));
    }
    const PhaseTimer timer(phases, Phase::calculate_moments);
    moments_.compute(tree_, columns_, strength_, softening_);
}

}  // namespace trellis
