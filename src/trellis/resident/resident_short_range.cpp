#include "trellis/resident/resident_short_range.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/short_range/device/provide_neighbours.hpp"
#include "trellis/particles/finite.hpp"
#include "trellis/particles/image.hpp"
#include "trellis/resident/kernels/kernels.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"

namespace trellis {

namespace {

// The results beside acceleration and potential, in the order of FinishGrid.
std::vector<FieldInfo> other_results(const NeighbourKernels& kernels) {
    std::vector<FieldInfo> others;
    for (const FieldInfo& field : kernels.outcome)
        if (field.name != Acceleration::name && field.name != Potential::name) others.push_back(field);
    return others;
}

bool positions_are_finite(const ParticleSet& particles) {
    const double* x = particles.column(Position::name).values();
    return parallel_reduce(
        3 * particles.size(), true,
        [x](std::size_t begin, std::size_t end) { return all_finite({x + begin, end - begin}); }, std::logical_and<>());
}

std::vector<std::string> names_of_constants(const NeighbourKernels& kernels) {
    std::vector<std::string> names = names_of(kernels.fields);
    std::erase(names, Position::name);
    return names;
}

}  // namespace

ResidentShortRange::ResidentShortRange(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                                       std::shared_ptr<const ShortRangeForce> force, const ParticleSet& particles)
    : ResidentForce(device, queue, columns),
      force_(std::move(force)),
      cutoff_(force_->range()),
      particles_(copy_of_resident(particles, names_of_constants(force_->kernels()))),
      neighbourhood_(force_->unmade_lists()),
      lists_(device),
      displacements_(device) {
    register_resident_kernels();
    provide_neighbours(force_->kernels());
    columns_.add_results(other_results(force_->kernels()));
    if (force_->reuse_steps() > 1) columns_.note_for_lists(false);
}

void ResidentShortRange::take_constants(const ParticleSet& particles) {
    particles_ = copy_of_resident(particles, names_of_constants(force_->kernels()));
}

// Positions that have been wrapped since the particles came have their images here.
void ResidentShortRange::write_known(ParticleSet& particles) const {
    if (particles_.has(Image::name) && particles.has(Image::name))
        std::ranges::copy(particles_[fields::image], particles[fields::image].begin());
}

void ResidentShortRange::construct(bool /*by_acceleration*/, double time, const Then& then) {
    if (columns_.size() == 0) return;
    columns_.download_positions(particles_);
    if (!positions_are_finite(particles_)) throw DeviceError(device_->name(), "gave a position that is not finite");
    {
        const PhaseTimer timer(on_host_, Phase::reorder_particles);
        particles_.wrap_positions();
    }
    make_lists();
    evaluate(time);
    then();
    state_.read();
}

// The lists in use were made of these positions, which are within the box.
void ResidentShortRange::recall_lists(const ParticleSet& particles) {
    if (columns_.size() == 0 || !columns_.recall_for_lists(particles)) return;
    std::ranges::copy(particles[ListedPosition{}], particles_[fields::position].begin());
    make_lists();
}

bool ResidentShortRange::reuse(double time, const Then& then) {
    if (columns_.size() == 0) return true;
    displacements_.check(queue_, columns_.position(), columns_.listed_position(), state());
    launch_grid(queue_, DropBlocks{}, blocks_count_, state(), blocks_);
    evaluate(time);
    then();
    return state_.read().lists_invalid == 0;
}

void ResidentShortRange::make_lists() {
    have_lists_ = false;
    neighbourhood_.build(particles_, Position::name, Radii({&cutoff_, 1}), nullptr, on_host_);
    columns_.arrange(neighbourhood_.tree().order(), particles_);
    sorted_.gather(particles_, force_->kernels().fields, neighbourhood_.tree().order());
    const Precision precision = force_->settings().precision;
    const bool single =
        precision == Precision::automatic ? single_suits(sorted_, cutoff_) : precision == Precision::single_;
    kernels_ = single ? force_->kernels().single_on_device : force_->kernels().double_on_device;
    send_lists();
    send_values();
    displacements_.begin(queue_, neighbourhood_.tree(), cutoff_, neighbourhood_.skin() * cutoff_, particles_.region());
    state_.clear();
    have_lists_ = true;
}

template <class T>
void ResidentShortRange::send(DeviceMemory& memory, std::span<const T> values) {
    make_room(memory, device_, values.size_bytes());
    if (!values.empty()) queue_.upload(memory, 0, std::as_bytes(values));
    queue_.wait();
}

void ResidentShortRange::send_lists() {
    const std::size_t size = columns_.size();
    lists_.begin_step({});
    lists_.send(neighbourhood_, size, on_host_);
    lists_.wait();
    lists_.note_use();
    other_times_ += lists_.use().times;
    const PhaseTimer timer(on_host_, Phase::copy_list);
    const NeighbourLists& lists = neighbourhood_.lists();
    std::vector<ListedBlock> blocks;
    for (std::size_t g = 0; g < lists.groups().size(); ++g)
        blocks.insert(blocks.end(), lists_.blocks(g).begin(), lists_.blocks(g).end());
    std::vector<Vec3<double>> shifts;
    shifts.reserve(lists.images());
    for (std::uint32_t image = 0; image < lists.images(); ++image) shifts.push_back(lists.shift(image));
    blocks_count_ = blocks.size();
    rows_count_ = size + lists_.images().size();
    middle_ = centre_of(neighbourhood_.tree().zone(0));
    any_masked_ = std::ranges::any_of(blocks, [](const ListedBlock& block) { return block.masked > 0; });
    work_ = {};
    for (const ListedBlock& block : blocks) work_.pairs += block.pairs();
    work_.cost = static_cast<double>(work_.pairs);
    send(blocks_, std::span<const ListedBlock>(blocks));
    send(images_, lists_.images());
    send(shifts_, std::span<const Vec3<double>>(shifts));
}

// Sends what the interaction reads beside positions, and makes room for what it computes.
void ResidentShortRange::send_values() {
    const PhaseTimer timer(on_host_, Phase::copy_all);
    const std::size_t size = columns_.size(), components = sorted_.component_count();
    make_room(values_, device_, (components - 3) * size * sizeof(double));
    for (std::size_t c = 3; c < components; ++c)
        queue_.upload(values_, (c - 3) * size * sizeof(double), std::as_bytes(std::span(sorted_.component(c), size)));
    send(table_, kernels_.table(force_->interaction()));
    make_room(rows_, device_, rows_count_ * row_stride_of(components) * kernels_.value_bytes);
    make_room(outcome_, device_,
              elements_of(blocks_count_) * components_of(force_->kernels().outcome) * kernels_.value_bytes);
}

template <class R>
void ResidentShortRange::launch_rows() {
    const NeighbourRows<R> rows{columns_.size(), sorted_.component_count(), middle_};
    launch_grid(queue_, rows, rows_count_, columns_.position(), values_, images_, shifts_, rows_);
}

void ResidentShortRange::evaluate(double time) {
    const NeighbourKernels& kernels = force_->kernels();
    const void* const interaction = force_->interaction();
    const NeighbourShare& share = lists_.shares().front();
    const std::size_t bytes = kernels_.value_bytes;
    const NeighbourMemories memories{rows_, blocks_, share.entries, share.factors, outcome_, table_};
    bytes == sizeof(float) ? launch_rows<float>() : launch_rows<double>();
    kernels_.listed.launch(queue_, neighbours_kernel(kernels.name, bytes), interaction, blocks_count_, memories);
    if (any_masked_)
        kernels_.masked.launch(queue_, masked_kernel(kernels.name, bytes), interaction, blocks_count_, memories);
    kernels_.finish.launch(queue_, finish_kernel(kernels.name, bytes), interaction, blocks_count_, columns_.size(),
                           {blocks_, outcome_, columns_.position(), values_, columns_.acceleration(),
                            columns_.potential(), columns_.results()});
    launch_grid(queue_, FindNotFinite{}, columns_.size(), columns_.acceleration(), columns_.potential(), state());
    add_fields(time);
}

ResidentShortRangeModel::ResidentShortRangeModel(std::shared_ptr<const ShortRangeForce> force)
    : force_(std::move(force)) {
    if (force_->kernels().single_on_device.finish.launch == nullptr)
        throw InputError(
            "the force of short range cannot act on particles that stay on a device: allowed are Lennard-Jones, and in"
            " C++ an interaction within a cutoff that depends on no velocities and gives acceleration and potential");
}

void ResidentShortRangeModel::check(const ParticleSet& particles) const {
    check_columns(particles, force_->kernels().fields, {});
    force_->check_values(particles);
    if (force_->exclusions() != nullptr) force_->exclusions()->check_present(particles, nullptr);
}

std::vector<std::string> ResidentShortRangeModel::constants() const { return names_of_constants(force_->kernels()); }

void ResidentShortRangeModel::add_phases(KernelPhases& phases) const {
    const char* const name = force_->kernels().name;
    for (const std::size_t bytes : {sizeof(float), sizeof(double)}) {
        phases.emplace(neighbours_kernel(name, bytes), Phase::force_kernel);
        phases.emplace(masked_kernel(name, bytes), Phase::force_kernel);
        phases.emplace(finish_kernel(name, bytes), Phase::copy_forces);
    }
}

std::unique_ptr<ResidentForce> ResidentShortRangeModel::make(const std::shared_ptr<Device>& device, Queue& queue,
                                                             ResidentColumns& columns,
                                                             const ParticleSet& particles) const {
    return std::make_unique<ResidentShortRange>(device, queue, columns, force_, particles);
}

}  // namespace trellis
