#include "trellis/forces/bonded/bonded_force.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/bonded/tuple_block.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/particles/finite.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr double cost_of_a_member = 10;  // in pairs, about

}  // namespace

std::span<const FieldInfo> BondedForce::results() const {
    static const std::vector<FieldInfo> all = InfosOf<Fields<Acceleration, Potential, Virial>>::all();
    return all;
}

std::vector<std::string> BondedForce::reads() const {
    std::vector<std::string> names{Position::name, Mass::name, Id::name};
    names.insert(names.end(), function_->columns.begin(), function_->columns.end());
    return names;
}

void BondedForce::attach(ParticleSet& particles, std::size_t) {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
}

void BondedForce::check_masses(const ParticleSet& particles) const {
    const auto masses = particles[mass];
    for (std::size_t row = 0; row < masses.size(); ++row)
        if (!tuples_.terms(row).empty() && !(masses[row] > 0 && std::isfinite(masses[row])))
            throw InputError("the mass of particle " + std::to_string(particles[id][row]) + " is " +
                             to_text(masses[row]) + ", but it is in " + tuples_.list().name() + " of " +
                             function_->name + ": allowed is above 0");
}

void BondedForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    Comm* const comm = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks->comm.get() : nullptr;
    particles.check_finite(Position::name);
    const bool lost = step.level || !tuples_.holds(particles);
    if (comm == nullptr ? lost : any_rank(*comm, lost)) {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        tuples_.find(particles, comm, step.level);
        check_masses(particles);
    }
    if (comm == nullptr) return;
    const PhaseTimer timer(phases, Phase::exchange_essential_trees);
    arriving_ = tuples_.imported().begin(*comm, particles, function_->columns);
}

Work BondedForce::retrieve(ParticleSet& particles, Phases& phases) {
    if (arriving_ != nullptr) {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        imported_ = ImportedMembers::finish(*std::exchange(arriving_, nullptr));
    }
    const PhaseTimer timer(phases, Phase::force_kernel);
    parts_.resize(tuples_.size() * part_size());
    const NearestImage nearest(particles.region());
    const Members members(particles, function_->columns, imported_);
    std::vector<unsigned char> finite((tuples_.size() + tuples_at_once - 1) / tuples_at_once);
    parallel_tasks(finite.size(),
                   [&](std::size_t block, int) { finite[block] = evaluate_block(block, members, nearest); });
    const auto bad = static_cast<std::size_t>(std::ranges::find(finite, 0) - finite.begin());
    if (bad < finite.size()) throw_not_finite(bad);
    switch (tuples_.list().each()) {
        case 2:
            add_parts<2>(particles);
            break;
        case 3:
            add_parts<3>(particles);
            break;
        default:
            add_parts<4>(particles);
    }
    Work work;
    work.cost = cost_of_a_member * static_cast<double>(tuples_.size() * tuples_.list().each());
    return work;
}

bool BondedForce::evaluate_block(std::size_t number, const Members& members, const NearestImage& nearest) {
    const std::size_t first = number * tuples_at_once, count = std::min(tuples_.size() - first, tuples_at_once);
    TupleBlock block(*function_, tuples_.list().each());
    for (std::size_t t = 0; t < count; ++t)
        block.set(t, tuples_.in_list(first + t), nearest, members, tuples_.slots(first + t));
    block.evaluate(count);
    for (std::size_t t = 0; t < count; ++t) block.copy_parts(t, parts_.data() + (first + t) * part_size());
    return block.finite(count);
}

// Each row adds the parts of its tuples in the order of the list. members: a constant, by which terms are divided.
template <std::size_t members>
void BondedForce::add_parts(ParticleSet& particles) const {
    const auto masses = particles[mass];
    const auto accelerations = particles[acceleration];
    const auto potentials = particles[potential], virials = particles[virial];
    parallel_for(particles.size(), [&](std::size_t row) {
        Vec3<double> force{0, 0, 0};
        double energy = 0, all_virial = 0;
        for (const std::uint32_t term : tuples_.terms(row)) {
            const double* part = parts_.data() + term / members * TupleBlock::parts_of(members);
            const double* of_member = part + 3 * (term % members);
            force += Vec3<double>{of_member[0], of_member[1], of_member[2]};
            energy += part[3 * members];
            all_virial += part[3 * members + 1];
        }
        if (tuples_.terms(row).empty()) return;
        accelerations[row] += force * (1 / masses[row]);
        potentials[row] += energy / masses[row];
        virials[row] += all_virial;
    });
}

void BondedForce::throw_not_finite(std::size_t block) const {
    std::size_t k = block * tuples_at_once;
    while (all_finite({&parts_[k * part_size()], part_size()})) ++k;
    throw InputError("the potential " + function_->name + " is not finite where the members of " +
                     tuples_.list().described(tuples_.in_list(k)) + ", are");
}

// The slot of a member, which is one of the sources, or imported by this rank.
std::uint32_t BondedForce::slot_of(std::uint32_t number, const ParticleSet& sources) const {
    const auto ids = sources[id];
    const auto row = static_cast<std::size_t>(std::ranges::find(ids, tuples_.list().ids()[number]) - ids.begin());
    if (row < ids.size()) return static_cast<std::uint32_t>(row);
    const auto numbers = tuples_.imported().numbers();
    const auto found = static_cast<std::size_t>(std::ranges::find(numbers, number) - numbers.begin());
    if (found < numbers.size()) return static_cast<std::uint32_t>(ids.size() + found);
    throw InputError(std::string(tuples_.list().name()) + " name particle " +
                     std::to_string(tuples_.list().ids()[number]) + ", but no particle has this id");
}

void BondedForce::prepare_reference(const ParticleSet& particles, double /*time*/, Comm& comm) {
    if (comm.size() == 1) return;
    tuples_.find(particles, &comm, false);
    imported_ = ImportedMembers::finish(*tuples_.imported().begin(comm, particles, function_->columns));
}

// All of the tuples of a particle count on its rank, which imports their other members.
void BondedForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row,
                            std::int64_t self, double /*time*/, double* values) const {
    std::fill_n(values, components_of(results()), 0.0);
    if (self < 0) return;
    const TupleList& list = tuples_.list();
    const NearestImage nearest(sources.region());
    const std::size_t each = list.each();
    const Members members(sources, function_->columns, imported_);
    TupleBlock block(*function_, each);
    std::vector<std::uint32_t> slots(each);
    std::vector<double> parts(part_size());
    const std::uint32_t own = list.number_of(targets[id][row]);
    for (std::size_t k = 0; k < list.size(); ++k) {
        const auto numbers = list.tuple(k);
        const auto which = static_cast<std::size_t>(std::ranges::find(numbers, own) - numbers.begin());
        if (which == each) continue;
        for (std::size_t m = 0; m < each; ++m) slots[m] = slot_of(numbers[m], sources);
        block.set(0, k, nearest, members, slots);
        block.evaluate(1);
        block.copy_parts(0, parts.data());
        const double inverse = 1 / targets[mass][row];
        for (std::size_t axis = 0; axis < 3; ++axis) values[axis] += parts[3 * which + axis] * inverse;
        values[3] += parts[3 * each] * inverse;
        values[4] += parts[3 * each + 1];
    }
}

}  // namespace trellis
