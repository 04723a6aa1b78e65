#include "trellis/lists/listed_tree.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/recheck.hpp"

namespace trellis {

ListedTree::ListedTree(std::vector<FieldInfo> fields, std::size_t strength, const Opening& opening,
                       std::uint32_t group_size, std::uint32_t leaf_size)
    : fields_(std::move(fields)),
      strength_(strength),
      opening_(opening),
      group_size_(group_size),
      leaf_size_(leaf_size) {}

void ListedTree::build(const ParticleSet& particles, std::string_view positions, Phases& phases) {
    const auto* values = reinterpret_cast<const Vec3<double>*>(particles.column(positions).values());
    tree_.build({values, particles.size()}, leaf_size_, phases);
    read(particles, positions, phases);
}

Walk ListedTree::start_lists(std::span<const double> tolerance) {
    const auto order = tree_.order();
    tolerance_.resize(tolerance.empty() ? 0 : order.size());
    parallel_for(tolerance_.size(), [&](std::size_t slot) { tolerance_[slot] = tolerance[order[slot]]; });
    Walk walk(tree_, moments_, opening_, group_size_, tolerance_, lists_);
    sizes_ = walk.sizes();
    return walk;
}

void ListedTree::refresh(const ParticleSet& particles, Phases& phases) { read(particles, Position::name, phases); }

bool ListedTree::lists_hold(double skin, Phases& phases) {
    const PhaseTimer timer(phases, Phase::check_lists);
    return still_accepted(tree_, moments_, opening_, sizes_, tolerance_, skin, lists_);
}

void ListedTree::read(const ParticleSet& particles, std::string_view positions, Phases& phases) {
    {
        const PhaseTimer timer(phases, Phase::reorder_particles);
        std::vector<FieldInfo> fields = fields_;
        fields[0].name = positions;
        columns_.gather(particles, fields, tree_.order());
    }
    const PhaseTimer timer(phases, Phase::calculate_moments);
    moments_.compute(tree_, columns_, strength_);
}

}  // namespace trellis
