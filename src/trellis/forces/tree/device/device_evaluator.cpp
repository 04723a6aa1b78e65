#include "trellis/forces/tree/device/device_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/forces/tree/device/rows.hpp"

namespace trellis {

namespace {

// True if the first count values of type R are finite.
template <class R>
bool all_finite(const HostMemory& memory, std::size_t count) {
    const R* values = reinterpret_cast<const R*>(memory.begin());
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

DeviceEvaluator::DeviceEvaluator(CompiledInteraction interaction, std::shared_ptr<Device> device, Send send,
                                 bool keep_lists)
    : interaction_(std::move(interaction)), device_(std::move(device)), send_(send), keep_lists_(keep_lists) {
    provide_pairs(interaction_.kernels);
    for (std::size_t k = 0; k < device_->queues_wanted(); ++k) queues_.push_back(device_->make_queue());
    queues_in_use_ = queues_.size();
}

// A failure is known from the wait for the forces.
DeviceEvaluator::~DeviceEvaluator() { settle(); }

void DeviceEvaluator::dispatch(const ListedTree& listed, Walk* walk, Phases& phases) {
    wait();
    use_.times = {};
    constructing_ = walk != nullptr;
    dispatched_ = Clock::now();
    if (listed.tree().cells().empty()) return forget();
    const bool reuse_kept = walk == nullptr && lists_stay_;
    {
        const PhaseTimer timer(phases, Phase::copy_all);
        if (walk != nullptr) choose_kernel(listed);
        write_table(listed);
        if (walk != nullptr) make_room_for_table(listed);
        if (table_.bytes() > 0) send_table(listed);
    }
    if (!reuse_kept) return send_all(listed, walk, phases);
    for (std::size_t k = 0; k < sent_.size(); ++k) launch(batches_[k], sent_[k]);
}

void DeviceEvaluator::forget() {
    sent_.clear();
    results_sent_ = 0;
}

void DeviceEvaluator::choose_kernel(const ListedTree& listed) {
    const InteractionKernels& all = interaction_.kernels;
    kernels_ = interaction_.single(listed) ? &all.single_precision : &all.double_precision;
    kernel_.name = pairs_kernel(all.name, kernels_->value_bytes);
    kernel_.constants.resize(sizeof(PairsCall) + all.bytes);
    std::memcpy(kernel_.constants.data() + sizeof(PairsCall), interaction_.parameters.get(), all.bytes);
    kernel_.row_bytes = kernels_->value_bytes * row_stride_of(listed.columns().component_count());
    kernel_.result_bytes = kernels_->value_bytes * components_of(all.results);
}

void DeviceEvaluator::write_table(const ListedTree& listed) {
    const std::size_t bytes = row_count(listed) * kernel_.row_bytes;
    make_room(host_table_, device_, bytes);
    if (kernels_->value_bytes == sizeof(float))
        write_rows(listed, reinterpret_cast<float*>(host_table_.begin()));
    else
        write_rows(listed, reinterpret_cast<double*>(host_table_.begin()));
}

// The whole table goes to the device if all batches are to share it and it leaves them room.
void DeviceEvaluator::make_room_for_table(const ListedTree& listed) {
    const std::size_t bytes = row_count(listed) * kernel_.row_bytes;
    const bool in_blocks = send_ == Send::indices && with_spare(bytes) > device_->memory_bytes() / 2;
    if (send_ == Send::particles || in_blocks)
        table_ = {};
    else
        make_room(table_, device_, bytes);
    use_.in_blocks = in_blocks;
}

void DeviceEvaluator::send_table(const ListedTree& listed) {
    queues_[0]->upload(table_, 0, {host_table_.begin(), row_count(listed) * kernel_.row_bytes});
    queues_[0]->flush();
    table_sent_ = queues_[0]->mark();
}

// Sends the lists of all groups and begins their forces; walk: the lists have still to be made.
void DeviceEvaluator::send_all(const ListedTree& listed, Walk* walk, Phases& phases) {
    const std::size_t branches = listed.lists().branches().size();
    const std::size_t result_bytes = listed.columns().size() * kernel_.result_bytes;
    make_room(host_results_, device_, result_bytes);
    forget();
    lists_stay_ = keep_lists_ && table_.bytes() > 0;
    const std::size_t step = std::max<std::size_t>(1, (branches + tuner_.batches() - 1) / tuner_.batches());
    for (std::size_t begin = 0; begin == 0 || begin < branches; begin += step) {
        const std::size_t end = std::min(begin + step, branches);
        if (walk != nullptr) {
            const PhaseTimer timer(phases, Phase::make_interaction_list);
            walk->make_branches(begin, end);
        }
        send_branches(listed, begin, end, phases);
    }
    use_.lists_kept = lists_stay_;
    use_.batches = sent_.size();
    use_.bytes = device_->memory_bytes() - device_->memory_left();
}

// Sends the branches [begin, end) in one batch, or in several if the device has no room for it.
void DeviceEvaluator::send_branches(const ListedTree& listed, std::size_t begin, std::size_t end, Phases& phases) {
    Sent sent;
    RowSelection own_rows;
    {
        const PhaseTimer timer(phases, Phase::copy_list);
        sent.lists = device_lists(listed, begin, end);
        if (sent.lists.groups.empty()) return;
        if (send_ == Send::particles) {
            own_rows = copy_rows(sent.lists);
        } else if (table_.bytes() == 0) {
            places_.resize(row_count(listed));
            own_rows = select_rows(sent.lists, places_);
        }
    }
    const bool fit = fits(sent.lists, own_rows.size());
    if (!fit && end - begin > 1) {
        const std::size_t middle = begin + (end - begin) / 2;
        send_branches(listed, begin, middle, phases);
        return send_branches(listed, middle, end, phases);
    }
    if (!fit) use_queues(1);  // then one batch may take all the memory there is
    sent.first_result = results_sent_;
    results_sent_ += sent.lists.result_count;
    sent_.push_back(std::move(sent));
    const PhaseTimer timer(phases, Phase::copy_list);
    DeviceBatch& batch = next_batch();
    batch.send(sent_.back().lists, own_rows, host_table_.begin(), kernel_);
    launch(batch, sent_.back());
}

// True if every queue can have a batch of this size. If lists are kept and there is no room for more, they no longer
// are: from now on batches follow each other in the same memory.
bool DeviceEvaluator::fits(const DeviceLists& lists, std::size_t own_rows) {
    const std::size_t bytes = DeviceBatch::bytes(lists, own_rows, kernel_);
    if (lists_stay_) {
        const std::size_t held = sent_.size() < batches_.size() ? batches_[sent_.size()].bytes_held() : 0;
        if (bytes <= device_->memory_left() + held) return true;
        lists_stay_ = keep_lists_ = false;
    }
    use_queues(queues_in_use_);
    return bytes <= (device_->memory_bytes() - table_.bytes()) / queues_in_use_;
}

// Lets batches follow each other on this many queues, in the same memory, from now on.
void DeviceEvaluator::use_queues(std::size_t count) {
    queues_in_use_ = count;
    if (batches_.size() <= count) return;
    wait();
    while (batches_.size() > count) batches_.pop_back();
}

// The next batch to be filled: a new one if lists are kept, else one whose forces are known or will be first.
DeviceBatch& DeviceEvaluator::next_batch() {
    const std::size_t number = sent_.size() - 1;
    const std::size_t place = lists_stay_ ? number : number % queues_in_use_;
    while (batches_.size() <= place) batches_.emplace_back(device_, *queues_[batches_.size() % queues_.size()]);
    return batches_[place];
}

void DeviceEvaluator::launch(DeviceBatch& batch, const Sent& sent) {
    batch.launch(kernel_, table_, table_sent_, host_results_.begin() + sent.first_result * kernel_.result_bytes);
}

void DeviceEvaluator::wait() {
    if (const std::exception_ptr failure = settle()) std::rethrow_exception(failure);
}

// Waits for all queues, even if one of them has failed: none must still be at work on memory that is about to be
// released.
std::exception_ptr DeviceEvaluator::settle() {
    std::exception_ptr failure;
    for (const auto& queue : queues_)
        if (const std::exception_ptr of_queue = queue->settle()) failure = of_queue;
    return failure;
}

Work DeviceEvaluator::retrieve(const ListedTree& listed, Part /*part*/, std::span<const ResultComponent> results,
                               const Meanwhile& /*meanwhile*/, Phases& phases) {
    {
        const PhaseTimer timer(phases, Phase::wait_for_device);
        wait();
    }
    if (constructing_) tuner_.note(std::chrono::duration<double>(Clock::now() - dispatched_).count());
    for (const auto& queue : queues_) use_.times += queue->take_times();
    if (sent_.empty()) return {};
    const PhaseTimer timer(phases, Phase::copy_forces);
    const std::size_t values = results_sent_ * kernel_.result_bytes / kernels_->value_bytes;
    if (!(kernels_->value_bytes == sizeof(float) ? all_finite<float>(host_results_, values)
                                                 : all_finite<double>(host_results_, values)))
        throw DeviceError(device_->name(), "gave a force that is not finite");
    const auto order = listed.tree().order();
    Work work;
    for (const Sent& sent : sent_) {
        const std::byte* sums = host_results_.begin() + sent.first_result * kernel_.result_bytes;
        work.pairs += sent.lists.pairs;
        parallel_tasks(sent.lists.groups.size(), [&](std::size_t g, int) {
            const DeviceGroup& group = sent.lists.groups[g];
            kernels_->write_back(interaction_.parameters.get(), sums + group.first_result * kernel_.result_bytes,
                                 order.data() + sent.lists.slots[g], group.count, results);
        });
    }
    return work;
}

std::unique_ptr<Evaluator> device_evaluator(const CompiledInteraction& interaction, std::shared_ptr<Device> device,
                                            Send send, bool keeps_lists) {
    return std::make_unique<DeviceEvaluator>(interaction, std::move(device), send, keeps_lists);
}

}  // namespace trellis
