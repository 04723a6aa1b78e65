#include "trellis/resident/resident_tree_force.hpp"

#include <typeinfo>

#include "trellis/base/error.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/kernels.hpp"

namespace trellis {

namespace {

double coupling_of(const ResidentGravity& gravity) {
    return std::visit([](const auto& interaction) { return interaction.coupling(); }, gravity);
}

CompiledInteraction compiled(const ResidentGravity& gravity, Precision precision) {
    const auto shared = [](const auto& interaction) -> std::shared_ptr<const void> {
        return std::make_shared<std::decay_t<decltype(interaction)>>(interaction);
    };
    return {kernels_of(gravity), std::visit(shared, gravity), precision};
}

}  // namespace

InteractionKernels kernels_of(const ResidentGravity& gravity) {
    return softenings_differ(gravity) ? TRELLIS_VARIANT(gravity_between_softenings_kernels)()
                                      : TRELLIS_VARIANT(gravity_kernels)();
}

ResidentTreeForce::ResidentTreeForce(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                                     const ResidentGravity& gravity, const ForceSettings& settings)
    : ResidentForce(device, queue, columns),
      gravity_(gravity),
      choice_(choose(sized_for(with_expansions_on_devices(settings), are_gpus(device)), true, true,
                     softenings_differ(gravity))),
      tree_(device, queue, state_, columns.size(), choice_.leaf_size),
      lists_(device, queue, state_, columns.size(), choice_, coupling_of(gravity)),
      single_(choice_.precision != Precision::double_) {
    register_resident_kernels();
    if (choice_.opening.order > 1)
        expansions_ = std::make_unique<ResidentExpansions>(
            device_, queue_, state_, compiled(gravity_, choice_.precision), coupling_of(gravity_), choice_);
    if (choice_.reuse_steps > 1) columns_.note_for_lists(choice_.criterion == Criterion::relative);
}

void ResidentTreeForce::construct(bool by_acceleration, double time, const Then& then) {
    if (columns_.size() == 0) return;
    if (by_acceleration) columns_.leave_mutual_accelerations();
    sort();
    if (expansions_) {
        make_lists_on_host(by_acceleration);
        evaluate(time);
        return then();
    }
    while (true) {
        make_lists(by_acceleration);
        make_room_for_rows();
        evaluate(time);
        then();
        if (lists_made()) return;
        columns_.restore_accelerations(tree_.order());
    }
}

void ResidentTreeForce::recall_lists(const ParticleSet& particles) {
    if (columns_.size() == 0 || !columns_.recall_for_lists(particles)) return;
    sort();
    const bool by_acceleration = choice_.criterion == Criterion::relative;
    if (expansions_) return make_lists_on_host(by_acceleration);
    do {
        make_lists(by_acceleration);
    } while (!lists_made());
    make_room_for_rows();
}

void ResidentTreeForce::sort() {
    tree_.sort(columns_.position());
    columns_.reorder(tree_.order());
}

void ResidentTreeForce::make_tree() {
    tree_.link();
    tree_.find_contents(columns_.position(), columns_.mass(), columns_.softening());
}

void ResidentTreeForce::make_lists(bool by_acceleration) {
    make_tree();
    lists_.make(tree_, columns_.acceleration(), by_acceleration, single_);
}

// Waits for tree and lists. Returns false if they must be made again: in the other precision, or with the memory that
// has now been enlarged.
bool ResidentTreeForce::lists_made() {
    const ResidentValues& made = state_.read();
    tree_.learn(made);
    lists_.learn(made);
    if (made.cell_count > 0) single_ = single_suits(choice_.precision, made.root.side, made.strength);
    have_lists_ = made.lists_invalid == 0;
    return have_lists_;
}

// Waits for the tree, and then for copies of its cells.
void ResidentTreeForce::make_lists_on_host(bool by_acceleration) {
    do {
        make_tree();
    } while (!tree_made());
    expansions_->make(tree_, state_.answer().root, columns_.acceleration(), by_acceleration, on_host_);
    single_ = expansions_->single();
    make_room_for_rows();
}

// Waits for the tree. Returns false if it must be made again, with the memory that has now been enlarged.
bool ResidentTreeForce::tree_made() {
    const ResidentValues& made = state_.read();
    tree_.learn(made);
    have_lists_ = made.lists_invalid == 0;
    return have_lists_;
}

bool ResidentTreeForce::reuse(double time, const Then& then) {
    if (columns_.size() == 0) return true;
    tree_.find_contents(columns_.position(), columns_.mass(), columns_.softening());
    if (!choice_.trust_reuse_steps) expansions_ ? expansions_->check(tree_) : lists_.check(tree_);
    evaluate(time);
    then();
    return state_.read().lists_invalid == 0;
}

// The rows are free at this point: only tree and lists are being made.
void ResidentTreeForce::make_room_for_rows() {
    const std::size_t value = single_ ? sizeof(float) : sizeof(double);
    const std::size_t cells = expansions_ ? 0 : tree_.cell_room();
    make_room(rows_, device_, (columns_.size() + cells) * resident_row_stride * value);
    if (!expansions_) make_room(sums_, device_, columns_.size() * Gravity::Result::components * value);
}

void ResidentTreeForce::evaluate(double time) {
    single_ ? evaluate_gravity<float>() : evaluate_gravity<double>();
    add_fields(time);
}

template <class R>
void ResidentTreeForce::evaluate_gravity() {
    launch_grid(queue_, ParticleRows<R>{}, columns_.size(), columns_.position(), columns_.mass(), columns_.softening(),
                state_.memory(), rows_);
    if (expansions_)
        expansions_->evaluate(tree_, rows_);
    else
        sum_superparticles<R>();
    launch_grid(queue_, FinishForces<R>{coupling_of(gravity_)}, columns_.size(),
                expansions_ ? expansions_->sums() : sums_, columns_.acceleration(), columns_.potential(),
                state_.memory());
}

template <class R>
void ResidentTreeForce::sum_superparticles() {
    launch_grid(queue_, CellRows<R>{columns_.size()}, tree_.cell_count(), tree_.contents(), tree_.softenings(),
                state_.memory(), rows_);
    std::visit([&](const auto& interaction) { launch_pairs<R>(interaction); }, gravity_);
}

template <class R, class I>
void ResidentTreeForce::launch_pairs(const I& interaction) {
    const struct {
        PairsCall call;
        I interaction;
    } constants{{lists_.group_count(), lists_.largest_group()}, interaction};
    const DeviceMemory* const memory[] = {&rows_, &lists_.groups(), &lists_.indices(), &sums_};
    queue_.launch(pairs_kernel(typeid(I).name(), sizeof(R)),
                  std::as_bytes(std::span(&constants, 1)).first(sizeof(PairsCall) + sizeof(I)), memory);
}

ResidentGravityModel::ResidentGravityModel(const ResidentGravity& gravity, const ForceSettings& settings)
    : gravity_(gravity), settings_(settings) {
    if (settings.method == Method::treepm)
        throw InputError(
            "method is treepm, but particles that stay on a device have no mesh: allowed are tree and fmm; treepm, "
            "where particles do not stay there");
    if (settings.tune_sizes)
        throw InputError("tune_sizes is on, but particles that stay on a device take no trial steps: allowed is off");
    if (settings.send == Send::particles)
        throw InputError("send is particles, but particles that stay on a device are not sent: allowed is indices");
}

void ResidentGravityModel::check(const ParticleSet& particles) const {
    const InteractionKernels kernels = kernels_of(gravity_);
    check_open(particles, "gravity of particles that stay on a device");
    check_columns(particles, kernels.fields, kernels.not_negative());
}

std::unique_ptr<ResidentForce> ResidentGravityModel::make(const std::shared_ptr<Device>& device, Queue& queue,
                                                          ResidentColumns& columns,
                                                          const ParticleSet& /*particles*/) const {
    return std::make_unique<ResidentTreeForce>(device, queue, columns, gravity_, settings_);
}

}  // namespace trellis
