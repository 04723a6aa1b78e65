#include "trellis/forces/short_range/neighbour_list_cache.hpp"

#include <algorithm>
#include <vector>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

void NeighbourListCache::ask_ahead(const std::shared_ptr<Device>& device) {
    next_ = std::make_unique<AsyncNeighbourLists>(search_, skin_, group_size_, device);
    keeps_ = true;
}

void NeighbourListCache::attach(ParticleSet& particles, std::size_t number) {
    if (!keeps_) return;
    kept_.attach(particles, number,
                 {"_list_radius", "length", "search radius that the neighbour lists were made with"});
    if (pruned_skin_ > 0) kept_pruned_.attach(particles, number, "_pruned_list_position");
}

void NeighbourListCache::prepare(ParticleSet& particles, const Radii& radii, const Ranks* ranks, const ForceStep& step,
                                 Phases& phases, std::span<const std::uint8_t> rows) {
    rows_.assign(rows.begin(), rows.end());
    if (!prunes()) neighbourhood_.widen();
    neighbourhood_.prefer_small_groups(!radii.constant() && (!keeps_ || step.rungs));
    prunes_now_ = skin_of_a_step_ > 0 && !serve_devices_ && !step.rungs;
    const bool asked = next_ != nullptr && take_next(particles, ranks, step, phases);
    if (step.may_reuse && holds(particles, radii, ranks, phases)) {
        neighbourhood_.add_lists(rows_, phases);
        ++use_.reuses;
        if (asked) ++use_.asked;
    } else {
        if (!step.may_reuse) have_lists_ = false;
        construct(particles, radii, step.level ? 0 : skin_, ranks, phases);  // those of a level serve once
    }
    if (prunes_now_) neighbourhood_.prune(particles, Position::name, radii, skin_of_a_step_, phases);
}

// Takes the lists requested at the last step. False if this step uses others.
bool NeighbourListCache::take_next(const ParticleSet& particles, const Ranks* ranks, const ForceStep& step,
                                   Phases& phases) {
    const bool ready = next_->ready(particles, step.number) && step.may_reuse;
    if (!(ranks == nullptr ? ready : !any_rank(*ranks->comm, !ready))) {
        next_->drop();
        return false;
    }
    have_lists_ = false;
    check_.reset();
    next_->take(neighbourhood_, particles, phases);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
    return true;
}

void NeighbourListCache::ask_for_next(ParticleSet& particles, const Radii& radii, const Ranks* ranks,
                                      const ForceStep& step, Phases& phases) {
    next_->ask(particles, radii, ranks, step.number + 1, phases);
    note(particles, radii);
}

void NeighbourListCache::add_use(std::optional<DeviceUse>& use, const Devices& counted) {
    const Device* device = next_ == nullptr ? nullptr : next_->device();
    if (device == nullptr) return;
    if (!use) use.emplace();
    use->times += next_->take_times();
    if (std::ranges::none_of(counted.all(), [&](const auto& one) { return one.get() == device; }))
        use->bytes += device->memory_bytes() - device->memory_left();
}

void NeighbourListCache::forget() {
    have_lists_ = renewed_ = false;
    if (next_ != nullptr) next_->drop();
}

bool NeighbourListCache::follow(ParticleSet& particles, const Radii& radii, std::span<const std::uint8_t> changed,
                                const Ranks* ranks, Phases& phases) {
    if (prunes_now_) {
        if (neighbourhood_.pruned_suit(radii, phases)) return false;
        neighbourhood_.widen();
        changed = {};  // radii have changed at earlier times, too
    }
    const bool serve = holds_with(particles, radii, changed, phases);
    if (!serve) construct(particles, radii, skin_, ranks, phases);
    if (prunes_now_) neighbourhood_.prune(particles, Position::name, radii, skin_of_a_step_, phases);
    return !serve;
}

bool NeighbourListCache::holds_with(const ParticleSet& particles, const Radii& radii,
                                    std::span<const std::uint8_t> changed, Phases& phases) {
    const PhaseTimer timer(phases, Phase::check_lists);
    return neighbourhood_.holds(check(particles, radii, changed), particles.region(), changed);
}

// True if lists exist, or can be rebuilt as they were before a checkpoint, and are valid, perhaps when pruned again.
bool NeighbourListCache::holds(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    if (renewed_ && rows_.empty()) return false;
    if (!same_rows(particles) && !restore(particles, radii, ranks, phases)) return false;
    if (!prunes() || neighbourhood_.pruned()) {
        const PhaseTimer timer(phases, Phase::check_lists);
        if (neighbourhood_.holds(check(particles, radii, {}), particles.region(), rows_)) return true;
    }
    if (prunes() && prune(particles, radii, phases)) return true;
    ++use_.early;
    return false;
}

// The check at the present positions and radii, of which those of flagged rows may have changed; any, without flags.
// Its memory is kept.
const DisplacementCheck& NeighbourListCache::check(const ParticleSet& particles, const Radii& radii,
                                                   std::span<const std::uint8_t> changed) {
    if (!check_) return check_.emplace(neighbourhood_.displacements(particles, radii, 1 + skin_of_a_step_));
    neighbourhood_.update(*check_, particles, radii, changed);
    return *check_;
}

bool NeighbourListCache::same_rows(const ParticleSet& particles) const {
    return have_lists_ && neighbourhood_.size() == particles.size() && arrangement_ == particles.arrangement();
}

bool NeighbourListCache::restore(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    const auto noted = [&](const ListCheckpoint& kept) {
        const bool here = keeps_ && kept.noted(particles);
        return ranks == nullptr ? here : any_rank(*ranks->comm, here);
    };
    if (!noted(kept_)) return false;
    build(particles, kept_.positions(), Radii(kept_.limits(particles)), skin_, ranks, phases);
    if (prunes() && noted(kept_pruned_))
        neighbourhood_.prune(particles, kept_pruned_.positions(), radii, pruned_skin_, phases);
    return true;
}

// Prunes the lists at the present positions. False if they may lack particles.
bool NeighbourListCache::prune(ParticleSet& particles, const Radii& radii, Phases& phases) {
    if (!neighbourhood_.may_be_pruned(particles, radii, pruned_skin_, phases)) return false;
    neighbourhood_.prune(particles, Position::name, radii, pruned_skin_, phases);
    kept_pruned_.note(particles, {});
    ++use_.prunings;
    return true;
}

void NeighbourListCache::construct(ParticleSet& particles, const Radii& radii, double skin, const Ranks* ranks,
                                   Phases& phases) {
    const bool renewable = ranks == nullptr && same_rows(particles) && neighbourhood_.may_be_renewed(skin);
    if (!rows_.empty() && renewable) {
        check_.reset();
        neighbourhood_.renew(particles, radii, phases, rows_);
        renewed_ = true;
    } else {
        build(particles, Position::name, radii, skin, ranks, phases);
    }
    ++use_.constructions;
    if (keeps_) note(particles, radii);
    if (pruned_skin_ > 0) kept_pruned_.note_none(particles);
}

void NeighbourListCache::build(const ParticleSet& particles, std::string_view positions, const Radii& radii,
                               double skin, const Ranks* ranks, Phases& phases) {
    have_lists_ = renewed_ = false;
    check_.reset();
    neighbourhood_.set_skin(skin);
    neighbourhood_.build(particles, positions, radii, ranks, phases, rows_);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

void NeighbourListCache::note(ParticleSet& particles, const Radii& radii) {
    std::vector<double> radius(particles.size());
    for (std::size_t row = 0; row < radius.size(); ++row) radius[row] = radii[row];
    kept_.note(particles, radius);
}

}  // namespace trellis
