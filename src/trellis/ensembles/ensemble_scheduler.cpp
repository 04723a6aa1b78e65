#include "trellis/ensembles/ensemble_scheduler.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "trellis/devices/cpu_device.hpp"

namespace trellis {

namespace {

std::uint64_t pairs_of(std::span<const System> systems) {
    std::uint64_t pairs = 0;
    for (const System& system : systems) pairs += std::uint64_t{system.slots} * system.slots;
    return pairs;
}

std::span<const System> within(std::span<const System> all, SystemRange systems) {
    return all.subspan(systems.begin, systems.count());
}

// Cuts systems into at most `most` stretches of about equal work, none of them empty.
std::vector<SystemRange> stretches(std::span<const System> all_systems, SystemRange systems, std::size_t most) {
    std::vector<std::uint64_t> pairs;
    pairs.reserve(systems.count());
    for (const System& system : within(all_systems, systems)) pairs.push_back(pairs_of(std::span(&system, 1)));
    const std::vector<std::uint64_t> had(most, 0);
    std::vector<SystemRange> all;
    std::size_t begin = 0;
    for (const std::size_t end : equal_shares(pairs, had)) {
        if (end > begin) all.push_back({systems.begin + begin, systems.begin + end});
        begin = end;
    }
    return all;
}

}  // namespace

EnsembleScheduler::EnsembleScheduler(const SystemTable& table, const EnsembleState& state, const Devices& devices,
                                     bool may_fail, std::size_t parts_a_device)
    : table_(table), systems_(state.systems), devices_(devices), may_fail_(may_fail) {
    auto device = devices.all().begin();
    for (const SystemRange& stretch : stretches(systems_, {0, size()}, devices.count())) {
        for (const SystemRange& systems : stretches(systems_, stretch, parts_a_device))
            parts_.push_back(part_on(*device, systems, systems_[systems.begin].first, batch_state_of(state, systems)));
        ++device;
    }
}

EnsembleScheduler::Part EnsembleScheduler::part_on(const std::shared_ptr<Device>& device, SystemRange systems,
                                                   std::size_t first_slot, BatchState state) const {
    auto batch = std::make_unique<EnsembleBatch>(device, table_, systems, first_slot, state);
    return {.log = {std::move(state), {}}, .batch = std::move(batch)};
}

void EnsembleScheduler::begin(std::size_t part, const StepsCall& call, std::span<const SystemChange> changes) {
    Part& todo = parts_[part];
    const SystemRange systems = systems_of(part);
    const auto mine = changes.subspan(systems.begin, systems.count());
    if (!may_fail_) todo.log.forget_calls();
    const Call& recorded = todo.log.record({call, {mine.begin(), mine.end()}});
    saving_time_.begin_work();
    try {
        todo.batch->begin(call, recorded.changes);
    } catch (const DeviceError& error) {
        todo.failure = error;
    }
}

bool EnsembleScheduler::finish(std::size_t part, const CallEnergies& energies) {
    const std::size_t before = parts();
    try {
        if (const auto& failure = parts_[part].failure) throw DeviceError(*failure);
        parts_[part].batch->finish(energies, size());
        saving_time_.end_work();
        return true;
    } catch (const DeviceError& error) {
        take_off(part, error);
        for (std::size_t piece = before; piece < parts(); ++piece) saving_time_.begin_work();
        return false;
    }
}

// Waits for the last part first: then most of the others are done, and this thread sleeps once instead of once for each
// part. Calls of lost parts are repeated side by side: each is begun before any is waited for.
void EnsembleScheduler::finish_all(const CallEnergies& energies) {
    std::vector<std::size_t> under_way(parts());
    std::iota(under_way.rbegin(), under_way.rend(), std::size_t{0});
    while (!under_way.empty()) {
        std::vector<std::size_t> again;
        for (const std::size_t part : under_way) {
            const std::size_t before = parts();
            if (finish(part, energies)) continue;
            again.push_back(part);
            for (std::size_t piece = before; piece < parts(); ++piece) again.push_back(piece);
        }
        under_way = std::move(again);
    }
}

// Distributes the systems of a part evenly over the other devices, which repeat the calls since their state was saved.
void EnsembleScheduler::take_off(std::size_t part, const DeviceError& error) {
    do_without(error, parts_[part].batch->device());
    const Part lost = std::move(parts_[part]);
    bool first = true;
    for (const SystemRange& systems : stretches(systems_, lost.batch->systems(), devices_.count())) {
        Part piece = repeated(lost, systems);
        if (std::exchange(first, false))
            parts_[part] = std::move(piece);
        else
            parts_.push_back(std::move(piece));
    }
}

// device: the one that failed. A spare may have the same name.
void EnsembleScheduler::do_without(const DeviceError& error, const std::shared_ptr<Device>& device) {
    if (std::ranges::count(devices_.all(), device) == 0) return;  // it was removed when another part failed
    Devices left = devices_.without(error.device());
    if (left.none()) left = spare();
    if (left.none()) throw DeviceError(error.device(), error.failure() + ", and none is left of " + devices_.names());
    devices_ = std::move(left);
    spares_->note(std::string(error.what()) + ": its systems go to " + devices_.names());
}

// The next available spare; empty if all are taken.
Devices EnsembleScheduler::spare() const {
    const std::optional<SpareDevices::Spare> next = spares_->next();
    if (!next) return {};
    return {next->device ? next->device : threads_as_device()};
}

// Makes a part of these systems of a lost part on another device, and repeats the calls of the lost part there.
EnsembleScheduler::Part EnsembleScheduler::repeated(const Part& lost, SystemRange systems) {
    const std::size_t offset = systems.begin - lost.batch->systems().begin;
    const BatchState state = batch_state_of(lost.log.state(), {offset, offset + systems.count()});
    const std::size_t first_slot = lost.batch->first_slot() + lost.log.state().systems[offset].first;
    while (true) {
        const std::shared_ptr<Device> device = least_busy();
        try {
            Part piece = part_on(device, systems, first_slot, state);
            for (const Call& call : lost.log.calls()) {
                const auto mine = std::span(call.changes).subspan(offset, systems.count());
                piece.batch->begin(call.steps, piece.log.record({call.steps, {mine.begin(), mine.end()}}).changes);
            }
            return piece;
        } catch (const DeviceError& error) {
            do_without(error, device);
        }
    }
}

// The device with the fewest pairs; the first one of equal ones.
std::shared_ptr<Device> EnsembleScheduler::least_busy() const {
    std::unordered_map<const Device*, std::uint64_t> pairs;
    for (const std::shared_ptr<Device>& device : devices_.all()) pairs[device.get()] = 0;
    for (const Part& part : parts_)
        if (part.batch) pairs[part.batch->device().get()] += pairs_of(within(systems_, part.batch->systems()));
    return *std::ranges::min_element(devices_.all(), {}, [&](const auto& device) { return pairs.at(device.get()); });
}

bool EnsembleScheduler::outgrown(const Part& part) const {
    const BatchState& state = part.log.state();
    return part.log.calls().size() * state.systems.size() * sizeof(SystemChange) >
           state.columns.size() * sizeof(double);
}

void EnsembleScheduler::save_when_due(SystemRange parts) {
    if (!may_fail_) return;
    const bool due = saving_time_.due();
    std::vector<std::size_t> wanted;
    for (std::size_t k = parts.begin; k < parts.end; ++k)
        if (!parts_[k].log.calls().empty() && (due || outgrown(parts_[k]))) wanted.push_back(k);
    if (!wanted.empty()) saving_time_.save([&] { save(wanted); });
}

void EnsembleScheduler::save(std::span<const std::size_t> parts) {
    for (const std::size_t k : parts) parts_[k].batch->begin_save(parts_[k].log.room());
    for (const std::size_t k : parts) {
        try {
            finish_save(parts_[k]);
        } catch (const DeviceError&) {
            continue;  // the next call fails, too
        }
    }
}

void EnsembleScheduler::finish_save(Part& part) {
    part.log.save([&](BatchState& to) { part.batch->finish_save(to, part.log.state()); });
    const SystemRange range = part.batch->systems();
    for (std::size_t k = range.begin; k < range.end; ++k) {
        const std::uint64_t first = systems_[k].first;
        systems_[k] = part.log.state().systems[k - range.begin];
        systems_[k].first = first;
    }
}

EnsembleState EnsembleScheduler::fetch() {
    for (Part& part : parts_)
        if (!part.log.calls().empty()) part.batch->begin_save(part.log.room());
    for (std::size_t k = 0; k < parts();) {
        try {
            if (!parts_[k].log.calls().empty()) finish_save(parts_[k]);
            ++k;
        } catch (const DeviceError& error) {
            const std::size_t before = parts();
            take_off(k, error);
            parts_[k].batch->begin_save(parts_[k].log.room());
            for (std::size_t other = before; other < parts(); ++other)
                parts_[other].batch->begin_save(parts_[other].log.room());
        }
    }
    EnsembleState now;
    now.systems = systems_;
    now.columns.resize(system_columns::changing * table_.slots);
    for (const Part& part : parts_) put_batch(part.log.state(), part.batch->systems().begin, now);
    return now;
}

}  // namespace trellis
