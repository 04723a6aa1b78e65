#include "trellis/forces/tree/device/device_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/tree/device/batches/frames.hpp"
#include "trellis/forces/tree/device/batches/rows.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/forces/tree/host/cell_units.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"

namespace trellis {

namespace {

// True if count values of type R are finite.
template <class R>
bool all_finite(const std::byte* results, std::size_t count) {
    const R* values = reinterpret_cast<const R*>(results);
    const std::size_t others = parallel_reduce(
        count, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            return static_cast<std::size_t>(
                std::count_if(values + begin, values + end, [](R value) { return !std::isfinite(value); }));
        },
        std::plus<>());
    return others == 0;
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(CompiledInteraction interaction, Devices devices, const ForceChoice& choice, Send send,
                                 bool keep_lists)
    : interaction_(std::move(interaction)),
      devices_(std::move(devices)),
      digits_(choice.digits),
      keep_lists_(keep_lists),
      has_moments_(choice.opening.order > 1),
      moments_(interaction_) {
    provide_pairs(interaction_.kernels);
    for (const auto& device : devices_.all()) shares_.emplace_back(device, send, kernel_);
}

void DeviceEvaluator::describe(const ListedTree& listed, bool shared, Phases& phases) {
    made_by_host_ = false;
    if (has_moments_ && (shared || !are_gpus(devices_))) make_moments(listed, phases);
}

void DeviceEvaluator::make_moments(const ListedTree& listed, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    moments_.describe(listed);
    made_by_host_ = true;
}

void DeviceEvaluator::describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    if (has_moments_) moments_.describe_imported(listed, imported);
}

const CellMoments& DeviceEvaluator::cell_moments() const {
    if (made_by_host_) return moments_;
    return no_moments_;
}

void DeviceEvaluator::dispatch(const ListedTree& listed, std::optional<Walk> walk, Phases& phases) {
    wait();
    use_.times = {};
    constructing_ = walk.has_value();
    dispatched_ = Clock::now();
    if (listed.tree().cells().empty()) {
        for (DeviceShare& share : shares_) share.forget();
        far_ = {};
        return note_use();
    }
    const bool reuse_kept = !walk && lists_stay();
    {
        const PhaseTimer timer(phases, Phase::copy_all);
        if (walk.has_value()) choose_kernel(listed);
        kernel_.set_constants(interaction_.kernels, interaction_.parameters.get());
        write_table(listed);
        const std::span<const std::byte> rows(host_table_.begin(), row_count(listed) * kernel_.row_bytes);
        far_.cells = {};
        if (has_moments_) {
            far_.cells.count = listed.tree().cells().size();
            far_.cells.made_there = !made_by_host_;
        }
        if (has_moments_ && walk.has_value()) far_.trunk = trunk_targets(listed);
        if (walk.has_value())
            for (DeviceShare& share : shares_) share.make_room(rows.size(), far_);
        if (has_moments_) describe_cells(listed, walk.has_value(), phases);
        for (DeviceShare& share : shares_) share.take_table(rows, far_, walk.has_value(), keep_lists_);
    }
    if (!reuse_kept) return send_all(listed, walk, phases);
    for (DeviceShare& share : shares_) share.launch_again();
}

// Lists are sent to all devices again if any device could not keep them.
bool DeviceEvaluator::lists_stay() const { return std::ranges::all_of(shares_, &DeviceShare::lists_stay); }

void DeviceEvaluator::choose_kernel(const ListedTree& listed) {
    const InteractionKernels& all = interaction_.kernels;
    kernels_ = interaction_.single(listed) ? &all.single_precision : &all.double_precision;
    kernel_ = batch_kernel(all, *kernels_, listed.opening().order);
}

void DeviceEvaluator::write_table(const ListedTree& listed) {
    const std::size_t bytes = row_count(listed) * kernel_.row_bytes;
    make_room(host_table_, devices_.first(), bytes);
    if (kernels_->value_bytes == sizeof(float))
        write_rows(listed, digits_, reinterpret_cast<float*>(host_table_.begin()));
    else
        write_rows(listed, digits_, reinterpret_cast<double*>(host_table_.begin()));
}

// The moments need the rows of all particles on a device: without, the host makes them.
void DeviceEvaluator::describe_cells(const ListedTree& listed, bool new_lists, Phases& phases) {
    if (!made_by_host_ && !std::ranges::all_of(shares_, &DeviceShare::has_table)) make_moments(listed, phases);
    if (made_by_host_) return copy_moments(listed);
    copy_frames(listed);
    far_.cells.levels = listed.tree().levels();
    if (new_lists) far_.cells.tree = listed.tree().cells();
}

void DeviceEvaluator::copy_moments(const ListedTree& listed) {
    const std::size_t cells = listed.tree().cells().size(), row_bytes = kernel_.cell_bytes;
    make_room(host_cells_, devices_.first(), cells * row_bytes);
    parallel_for(cells, [&](std::size_t cell) {
        std::memcpy(host_cells_.begin() + cell * row_bytes, moments_.rows() + cell * row_bytes, row_bytes);
    });
    far_.cells.rows = {host_cells_.begin(), cells * row_bytes};
}

void DeviceEvaluator::copy_frames(const ListedTree& listed) {
    find_units(listed, listed.tree().levels(), units_);
    const std::size_t bytes = units_.size() * frame_values * kernels_->value_bytes;
    make_room(host_cells_, devices_.first(), bytes);
    if (kernels_->value_bytes == sizeof(float))
        write_frames(listed, units_, reinterpret_cast<float*>(host_cells_.begin()));
    else
        write_frames(listed, units_, reinterpret_cast<double*>(host_cells_.begin()));
    far_.cells.frames = {host_cells_.begin(), bytes};
}

// Sends the lists of all groups and begins their forces. walk: makes the lists; null: they are made.
void DeviceEvaluator::send_all(const ListedTree& listed, std::optional<Walk>& walk, Phases& phases) {
    const std::size_t branches = listed.lists().branches().size();
    make_room(host_results_, devices_.first(), listed.columns().size() * kernel_.result_bytes);
    results_end_ = host_results_.begin();
    for (DeviceShare& share : shares_) share.forget();
    const std::size_t step = std::max<std::size_t>(1, (branches + tuner_.batches() - 1) / tuner_.batches());
    for (std::size_t begin = 0; begin == 0 || begin < branches; begin += step) {
        const std::size_t end = std::min(begin + step, branches);
        if (walk.has_value()) {
            const PhaseTimer timer(phases, Phase::make_interaction_list);
            walk->make_branches(begin, end);
        }
        const PhaseTimer timer(phases, Phase::copy_list);
        share(lists_of_branches(listed, begin, end));
    }
    note_use();
}

// Gives each device lists of whole branches, with about equal numbers of pairs.
void DeviceEvaluator::share(std::span<const DeviceLists> parts) {
    std::vector<std::uint64_t> pairs, had;
    for (const DeviceLists& part : parts) pairs.push_back(part.counts.pairs);
    for (const DeviceShare& each : shares_) had.push_back(each.pairs());
    const std::vector<std::size_t> ends = equal_shares(pairs, had);
    std::size_t begin = 0;
    for (std::size_t k = 0; k < shares_.size(); begin = ends[k++])
        results_end_ = shares_[k].send(parts.subspan(begin, ends[k] - begin), results_end_);
}

void DeviceEvaluator::note_use() {
    use_.lists_kept = keep_lists_ && lists_stay();
    use_.in_blocks = std::ranges::any_of(shares_, &DeviceShare::in_blocks);
    use_.batches = use_.bytes = 0;
    use_.pairs.clear();
    for (const DeviceShare& share : shares_) {
        use_.batches += share.sent().size();
        use_.bytes += share.device().memory_bytes() - share.device().memory_left();
        use_.pairs.push_back(share.pairs());
    }
}

void DeviceEvaluator::wait() {
    if (const std::exception_ptr failure = settle()) std::rethrow_exception(failure);
}

// Waits for all devices, even if one of them has failed.
std::exception_ptr DeviceEvaluator::settle() {
    std::exception_ptr failure;
    for (DeviceShare& share : shares_)
        if (const std::exception_ptr of_share = share.settle(); failure == nullptr) failure = of_share;
    return failure;
}

Work DeviceEvaluator::retrieve(const ListedTree& listed, Part /*part*/, std::span<const ResultComponent> results,
                               const Meanwhile& /*meanwhile*/, Phases& phases) {
    {
        const PhaseTimer timer(phases, Phase::wait_for_device);
        wait();
    }
    if (constructing_)
        tuner_.note(std::chrono::duration<double>(Clock::now() - dispatched_).count(),
                    std::reduce(use_.pairs.begin(), use_.pairs.end()));
    for (DeviceShare& share : shares_) use_.times += share.take_times();
    const PhaseTimer timer(phases, Phase::copy_forces);
    check_finite();
    Work work;
    work.expansions = far_.trunk.expansions;
    for (const DeviceShare& share : shares_) work += write_back(share, listed.tree().order(), results);
    return work;
}

// Checked before any force is written: either all forces are finite, or no force is used.
void DeviceEvaluator::check_finite() const {
    for (const DeviceShare& share : shares_)
        for (const SentLists& sent : share.sent()) {
            const std::size_t values = sent.counts.results * kernel_.result_bytes / kernels_->value_bytes;
            if (!(kernels_->value_bytes == sizeof(float) ? all_finite<float>(sent.results, values)
                                                         : all_finite<double>(sent.results, values)))
                throw DeviceError(share.device().name(), "gave a force that is not finite");
        }
}

Work DeviceEvaluator::write_back(const DeviceShare& share, std::span<const std::uint32_t> order,
                                 std::span<const ResultComponent> results) const {
    for (const SentLists& sent : share.sent())
        parallel_tasks(sent.groups.size(), [&](std::size_t g, int) {
            const SentGroup& group = sent.groups[g];
            kernels_->write_back(interaction_.parameters.get(),
                                 sent.results + group.first_result * kernel_.result_bytes, order.data() + group.slot,
                                 group.count, results);
        });
    return share.work();
}

std::unique_ptr<Evaluator> device_evaluator(const CompiledInteraction& interaction, const Devices& devices,
                                            const ForceChoice& choice, Send send, bool keeps_lists) {
    return std::make_unique<DeviceEvaluator>(interaction, devices, choice, send, keeps_lists);
}

}  // namespace trellis
