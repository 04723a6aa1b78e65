#include "trellis/ensembles/ensemble_batch.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

namespace {

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
    return std::as_bytes(values);
}

}  // namespace

template <class State>
BatchState batch_state_of(const State& all, SystemRange systems) {
    const std::size_t slots = all.columns.size() / system_columns::changing;
    const auto first_slot = [&](std::size_t system) {
        return system < all.systems.size() ? all.systems[system].first : slots;
    };
    const std::size_t begin = first_slot(systems.begin), end = first_slot(systems.end);
    const auto chosen = std::span(all.systems).subspan(systems.begin, systems.count());
    BatchState batch{{chosen.begin(), chosen.end()}, {}};
    for (System& system : batch.systems) system.first -= begin;
    batch.columns.reserve(system_columns::changing * (end - begin));
    for (std::size_t c = 0; c < system_columns::changing; ++c) {
        const auto column = std::span(all.columns).subspan(c * slots + begin, end - begin);
        batch.columns.insert(batch.columns.end(), column.begin(), column.end());
    }
    return batch;
}
template BatchState batch_state_of(const EnsembleState& all, SystemRange systems);
template BatchState batch_state_of(const BatchState& all, SystemRange systems);

void put_batch(const BatchState& batch, std::size_t first_system, EnsembleState& all) {
    const std::size_t first_slot = all.systems[first_system].first;
    for (std::size_t k = 0; k < batch.systems.size(); ++k) {
        System& system = all.systems[first_system + k] = batch.systems[k];
        system.first += first_slot;
    }
    const std::size_t slots = batch.slots(), all_slots = all.columns.size() / system_columns::changing;
    for (std::size_t c = 0; c < system_columns::changing; ++c)
        std::copy_n(batch.columns.begin() + static_cast<std::ptrdiff_t>(c * slots), slots,
                    all.columns.begin() + static_cast<std::ptrdiff_t>(c * all_slots + first_slot));
}

EnsembleBatch::EnsembleBatch(std::shared_ptr<Device> device, const SystemTable& table, SystemRange systems,
                             std::size_t first_slot, const BatchState& state)
    : table_(table),
      systems_(systems),
      first_slot_(first_slot),
      slots_(state.slots()),
      device_(std::move(device)),
      queue_(device_->make_queue()) {
    if (StagedSystems::needed(table, *device_))
        staged_ = std::make_unique<StagedSystems>(device_, table, state.systems,
                                                  std::span(table.ids).subspan(first_slot_, slots_), *queue_);
    for (const System& system : state.systems) largest_ = std::max<std::uint64_t>(largest_, system.slots);
    const auto upload = [&](SystemMemory which, std::span<const std::byte> bytes) {
        memory(which) = DeviceMemory(device_, bytes.size());
        queue_->upload(memory(which), 0, bytes);
    };
    upload(SystemMemory::systems, bytes_of<System>(state.systems));
    upload(SystemMemory::interactions, staged_ ? staged_->interactions() : table.interactions);
    upload(SystemMemory::containers, bytes_of<Container>(table.containers));
    upload(SystemMemory::ids, bytes_of<std::uint64_t>(std::span(table.ids).subspan(first_slot_, slots_)));
    memory(SystemMemory::changes) = DeviceMemory(device_, systems.count() * sizeof(SystemChange));
    const std::size_t columns = table.columns(), bytes = slots_ * sizeof(double);
    memory(SystemMemory::columns) = DeviceMemory(device_, columns * bytes);
    for (std::size_t c = 0; c < columns; ++c) {
        const std::span<const double> values =
            c < system_columns::changing
                ? std::span(state.columns).subspan(c * slots_, slots_)
                : std::span(table.kept).subspan((c - system_columns::changing) * table.slots + first_slot_, slots_);
        queue_->upload(memory(SystemMemory::columns), c * bytes, bytes_of(values));
    }
    queue_->wait();  // the caller may change the uploaded arrays from here on
}

void EnsembleBatch::begin(const StepsCall& todo, std::span<const SystemChange> changes) {
    queue_->upload(memory(SystemMemory::changes), 0, bytes_of(changes));
    SystemsCall call{.systems = systems_.count(),
                     .hamiltonians = table_.in_all && !todo.potentials ? table_.hamiltonians() : 0,
                     .slots = slots_,
                     .columns = table_.columns(),
                     .largest = largest_,
                     .steps = todo.steps,
                     .every = todo.every,
                     .potentials = todo.potentials ? 1U : 0U,
                     .volumes = table_.volumes ? 1U : 0U,
                     .shortest_side = table_.shortest_side()};
    std::ranges::copy(table_.columns_of, call.columns_of);
    make_room(call);
    if (staged_)
        staged_->launch(*queue_, call, memory_);
    else
        launch_steps(call);
    const auto bring = [&](SystemMemory which, auto& to) {
        if (!to.empty()) queue_->download(memory(which), 0, std::as_writable_bytes(std::span(to)));
    };
    bring(SystemMemory::energies, sampled_);
    bring(SystemMemory::energies, potentials_);
    bring(SystemMemory::in_all, in_all_);
    bring(SystemMemory::volumes, volumes_);
    queue_->flush();
}

void EnsembleBatch::launch_steps(const SystemsCall& call) {
    const DeviceMemory* memories[system_memories];
    for (std::size_t k = 0; k < system_memories; ++k) memories[k] = &memory_[k];
    queue_->launch(table_.kernels.name, std::as_bytes(std::span(&call, 1)), memories);
}

// Makes memory for the results of a call.
void EnsembleBatch::make_room(const SystemsCall& call) {
    const std::size_t samples = call.steps / call.every * call.systems;
    const std::size_t potentials = call.potentials * samples, sampled = samples - potentials;
    const std::size_t in_all = call.hamiltonians * call.systems, volumes = call.volumes * samples;
    if (sampled_.size() == sampled && potentials_.size() == potentials && in_all_.size() == in_all &&
        volumes_.size() == volumes)
        return;
    queue_->settle();  // an earlier call may still write
    sampled_.resize(sampled);
    potentials_.resize(potentials);
    in_all_.resize(in_all);
    volumes_.resize(volumes);
    const auto at_least = [&](SystemMemory which, std::size_t bytes) {
        if (memory(which).bytes() < bytes) memory(which) = DeviceMemory(device_, bytes);
    };
    at_least(SystemMemory::energies, sampled * sizeof(SystemEnergies) + potentials * sizeof(float));
    at_least(SystemMemory::in_all, in_all * sizeof(double));
    at_least(SystemMemory::volumes, volumes * sizeof(double));
}

void EnsembleBatch::finish(const CallEnergies& energies, std::size_t all_systems) {
    queue_->wait();
    const std::size_t count = systems_.count();
    const auto spread = [&](const auto& values, const auto& to) {
        for (std::size_t sample = 0; sample * count < values.size(); ++sample)
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(sample * count), count,
                        to.begin() + static_cast<std::ptrdiff_t>(sample * all_systems + systems_.begin));
    };
    spread(sampled_, energies.sampled);
    spread(volumes_, energies.volumes);
    const auto put = [&](const auto& of_each, const auto& to) {
        std::ranges::copy(of_each, to.begin() + static_cast<std::ptrdiff_t>(systems_.begin * of_each.size() / count));
    };
    put(potentials_, energies.potentials);
    put(in_all_, energies.in_all);
}

void EnsembleBatch::begin_save(BatchState& to) {
    to.systems.resize(systems_.count());
    to.columns.resize(system_columns::changing * slots_);
    queue_->download(memory(SystemMemory::systems), 0, std::as_writable_bytes(std::span(to.systems)));
    queue_->download(memory(SystemMemory::columns), 0, std::as_writable_bytes(std::span(to.columns)));
    queue_->flush();
}

// An emulated device returns arbitrary values: those that the host relies on are restored.
void EnsembleBatch::finish_save(BatchState& to, const BatchState& before) {
    queue_->wait();
    for (std::size_t k = 0; k < systems_.count(); ++k) {
        System& system = to.systems[k];
        const System& known = before.systems[k];
        system.first = known.first, system.count = known.count, system.slots = known.slots;
    }
}

}  // namespace trellis
