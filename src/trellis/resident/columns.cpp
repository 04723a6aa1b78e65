#include "trellis/resident/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/particles/image.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"

namespace trellis {

namespace {

constexpr std::size_t vector_bytes = sizeof(Vec3<double>);

// The column of a field, added where it is missing.
template <class F>
std::span<typename F::Value> added(ParticleSet& particles, F field) {
    return particles.has(F::name) ? particles[field] : particles.add(field);
}

// The row of each device index.
std::vector<std::uint32_t> rows_of(const ParticleSet& particles) {
    std::vector<std::uint32_t> rows(particles.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (!particles.has(DevicePlace::name)) return rows;
    const auto indices = particles[DevicePlace{}];
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!(indices[row] >= 0 && indices[row] < static_cast<double>(rows.size())))
            throw InputError("column '" + std::string(DevicePlace::name) + "' is " + to_text(indices[row]) +
                             " at index " + std::to_string(row) + ": allowed is 0 to " +
                             std::to_string(rows.size() - 1));
        rows[static_cast<std::size_t>(indices[row])] = static_cast<std::uint32_t>(row);
    }
    return rows;
}

}  // namespace

ParticleSet copy_of_resident(const ParticleSet& particles, std::span<const std::string> more) {
    ParticleSet copy(particles.size());
    copy.set_region(particles.region());
    std::vector<std::string> names{Id::name, Image::name};
    names.insert(names.end(), more.begin(), more.end());
    for (const char* name : {Position::name, Velocity::name, Mass::name, SofteningLength::name, Acceleration::name,
                             Potential::name, ExternalAcceleration::name, ExternalPotential::name, DevicePlace::name,
                             ListedPosition::name, ListedAcceleration::name})
        names.emplace_back(name);
    for (const std::string& name : names) {
        if (!particles.has(name)) continue;
        const Column& column = particles.column(name);
        if (!copy.has(name)) copy.add(column.info());
        std::copy_n(column.values(), column.size() * static_cast<std::size_t>(column.info().components),
                    copy.column(name).values());
    }
    return copy;
}

ResidentColumns::ResidentColumns(std::shared_ptr<Device> device, Queue& queue, const ParticleSet& particles,
                                 bool softenings)
    : device_(std::move(device)), queue_(queue), size_(particles.size()) {
    for (DeviceMemory* column : {&position_, &velocity_, &acceleration_, &spare_vectors_})
        *column = DeviceMemory(device_, size_ * vector_bytes);
    for (DeviceMemory* column : {&mass_, &potential_, &spare_doubles_})
        *column = DeviceMemory(device_, size_ * sizeof(double));
    if (softenings) softening_ = DeviceMemory(device_, size_ * sizeof(double));
    for (DeviceMemory* column : {&row_, &spare_rows_}) *column = DeviceMemory(device_, size_ * sizeof(std::uint32_t));
    upload(particles);
}

void ResidentColumns::upload(const ParticleSet& particles) {
    if (size_ == 0) return;
    const std::vector<std::uint32_t> rows = rows_of(particles);
    send(position_, rows, particles[fields::position]);
    send(velocity_, rows, particles[fields::velocity]);
    send(mass_, rows, particles[fields::mass]);
    if (softening_.bytes() > 0) send(softening_, rows, particles[fields::softening]);
    send(acceleration_, rows, particles[fields::acceleration]);
    send(potential_, rows, particles[fields::potential]);
    if (external_potential_.bytes() > 0 && particles.has(ExternalPotential::name))
        send(external_potential_, rows, particles[fields::external_potential]);
    if (external_acceleration_.bytes() > 0 && particles.has(ExternalAcceleration::name))
        send(external_acceleration_, rows, particles[ExternalAcceleration{}]);
    send_results(rows, particles);
    queue_.upload(row_, 0, std::as_bytes(std::span(rows)));
    queue_.wait();
}

void ResidentColumns::add_external() {
    if (external_potential_.bytes() > 0 || size_ == 0) return;
    external_acceleration_ = DeviceMemory(device_, size_ * vector_bytes);
    external_potential_ = DeviceMemory(device_, size_ * sizeof(double));
    const std::vector<double> none(3 * size_, 0.0);
    queue_.upload(external_acceleration_, 0, std::as_bytes(std::span(none)));
    queue_.upload(external_potential_, 0, std::as_bytes(std::span(none).first(size_)));
    queue_.wait();
}

void ResidentColumns::leave_mutual_accelerations() {
    if (external_acceleration_.bytes() == 0) return;
    launch_grid(queue_, Subtract{}, size_, external_acceleration_, acceleration_);
}

void ResidentColumns::add_results(std::vector<FieldInfo> results) {
    further_ = std::move(results);
    if (further_.empty() || size_ == 0) return;
    const std::vector<double> none(components_of(further_) * size_, 0.0);
    results_ = DeviceMemory(device_, none.size() * sizeof(double));
    queue_.upload(results_, 0, std::as_bytes(std::span(none)));
    queue_.wait();
}

// Results that the particles do not have are 0.
void ResidentColumns::send_results(std::span<const std::uint32_t> rows, const ParticleSet& particles) {
    std::size_t begin = 0;
    std::vector<double> values(size_);
    for (const FieldInfo& field : further_)
        for (std::size_t c = 0; c < field.components; ++c, begin += size_) {
            const double* from = particles.has(field.name) ? particles.column(field.name).values() + c : nullptr;
            parallel_for(size_,
                         [&](std::size_t k) { values[k] = from == nullptr ? 0 : from[rows[k] * field.components]; });
            queue_.upload(results_, begin * sizeof(double), std::as_bytes(std::span(values)));
            queue_.wait();
        }
}

void ResidentColumns::take_results(const std::uint32_t* rows, ParticleSet& particles) {
    std::size_t begin = 0;
    for (const FieldInfo& field : further_) {
        double* const to = (particles.has(field.name) ? particles.column(field.name) : particles.add(field)).values();
        for (std::size_t c = 0; c < field.components; ++c, begin += size_) {
            const double* values = fetch<double>(results_, begin * sizeof(double), 0);
            parallel_for(size_, [&](std::size_t k) { to[rows[k] * field.components + c] = values[k]; });
        }
    }
}

void ResidentColumns::download_positions(ParticleSet& particles) {
    take(position_, fetch_rows(), particles[fields::position]);
}

void ResidentColumns::arrange(std::span<const std::uint32_t> rows, const ParticleSet& particles) {
    const std::uint32_t* former = fetch_rows();
    std::vector<std::uint32_t> place_of_row(size_), order(size_);
    parallel_for(size_, [&](std::size_t k) { place_of_row[former[k]] = static_cast<std::uint32_t>(k); });
    parallel_for(size_, [&](std::size_t k) { order[k] = place_of_row[rows[k]]; });
    send(position_, std::span(former, size_), particles[fields::position]);
    make_room(order_, device_, size_ * sizeof(std::uint32_t));
    queue_.upload(order_, 0, std::as_bytes(std::span(order)));
    queue_.wait();
    reorder(order_);
}

void ResidentColumns::note_for_lists(bool accelerations) {
    listed_position_ = DeviceMemory(device_, size_ * vector_bytes);
    if (accelerations) listed_acceleration_ = DeviceMemory(device_, size_ * vector_bytes);
}

void ResidentColumns::reorder(const DeviceMemory& order) {
    if (listed_position_.bytes() > 0)
        launch_grid(queue_, Reorder<Vec3<double>>{}, size_, order, position_, listed_position_);
    if (listed_acceleration_.bytes() > 0)
        launch_grid(queue_, Reorder<Vec3<double>>{}, size_, order, acceleration_, listed_acceleration_);
    listed_ = true;
    for (DeviceMemory* column : {&position_, &velocity_, &acceleration_})  // the last one stays in spare_vectors_
        reorder<Vec3<double>>(order, *column, spare_vectors_);
    reorder<double>(order, mass_, spare_doubles_);
    if (softening_.bytes() > 0) reorder<double>(order, softening_, spare_doubles_);
    reorder<std::uint32_t>(order, row_, spare_rows_);
}

void ResidentColumns::restore_accelerations(const DeviceMemory& order) {
    launch_grid(queue_, Reorder<Vec3<double>>{}, size_, order, spare_vectors_, acceleration_);
}

template <class T>
void ResidentColumns::reorder(const DeviceMemory& order, DeviceMemory& column, DeviceMemory& spare) {
    launch_grid(queue_, Reorder<T>{}, size_, order, column, spare);
    std::swap(column, spare);
}

void ResidentColumns::download(ParticleSet& particles) {
    if (particles.size() != size_)
        throw InputError("the set to download into has " + std::to_string(particles.size()) +
                         " particles: allowed is " + std::to_string(size_));
    if (size_ == 0) return;
    const std::uint32_t* rows = fetch_rows();
    take(position_, rows, particles[fields::position]);
    take(velocity_, rows, particles[fields::velocity]);
    take(mass_, rows, particles[fields::mass]);
    take(acceleration_, rows, particles[fields::acceleration]);
    take(potential_, rows, particles[fields::potential]);
    if (external_potential_.bytes() > 0) take(external_potential_, rows, added(particles, fields::external_potential));
    if (external_acceleration_.bytes() > 0)
        take(external_acceleration_, rows, added(particles, ExternalAcceleration{}));
    take_results(rows, particles);
}

void ResidentColumns::save(ParticleSet& particles) {
    download(particles);
    const auto indices = added(particles, DevicePlace{});
    if (size_ == 0) return;
    const std::uint32_t* rows = fetch_rows();
    parallel_for(size_, [&](std::size_t k) { indices[rows[k]] = static_cast<double>(k); });
    if (softening_.bytes() > 0) take(softening_, rows, added(particles, fields::softening));
    const auto take_noted = [&](const DeviceMemory& column, auto field) {
        if (column.bytes() == 0) return;
        constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
        const auto to = added(particles, field);
        if (listed_)
            take(column, rows, to);
        else
            std::ranges::fill(to, Vec3<double>{nothing, nothing, nothing});
    };
    take_noted(listed_position_, ListedPosition{});
    take_noted(listed_acceleration_, ListedAcceleration{});
}

bool ResidentColumns::recall_for_lists(const ParticleSet& particles) {
    const bool by_acceleration = listed_acceleration_.bytes() > 0;
    if (listed_position_.bytes() == 0 || !particles.has(ListedPosition::name) ||
        (by_acceleration && !particles.has(ListedAcceleration::name)) || std::isnan(particles[ListedPosition{}][0].x))
        return false;
    const std::vector<std::uint32_t> rows = rows_of(particles);
    send(position_, rows, particles[ListedPosition{}]);
    if (by_acceleration) send(acceleration_, rows, particles[ListedAcceleration{}]);
    return true;
}

// Downloads a column, from byte `begin` on, to `offset` bytes into the host memory, and returns it.
template <class T>
const T* ResidentColumns::fetch(const DeviceMemory& column, std::size_t begin, std::size_t offset) {
    if (fetched_.bytes() == 0) fetched_ = HostMemory(device_, size_ * (vector_bytes + sizeof(std::uint64_t)));
    const std::span<std::byte> to(fetched_.begin() + offset, size_ * sizeof(T));
    queue_.download(column, begin, to);
    queue_.wait();
    return reinterpret_cast<const T*>(to.data());
}

// The row of each particle, behind the space of any other column.
const std::uint32_t* ResidentColumns::fetch_rows() {
    const auto* rows = fetch<std::uint32_t>(row_, 0, size_ * vector_bytes);
    if (std::any_of(rows, rows + size_, [&](std::uint32_t row) { return row >= size_; }))
        throw DeviceError(device_->name(), "gave a row that no particle has");
    return rows;
}

template <class T>
void ResidentColumns::take(const DeviceMemory& column, const std::uint32_t* rows, std::span<T> to) {
    const T* values = fetch<T>(column, 0, 0);
    parallel_for(size_, [&](std::size_t k) { to[rows[k]] = values[k]; });
}

template <class T>
void ResidentColumns::send(const DeviceMemory& column, std::span<const std::uint32_t> rows, std::span<const T> from) {
    std::vector<T> values(size_);
    parallel_for(size_, [&](std::size_t k) { values[k] = from[rows[k]]; });
    queue_.upload(column, 0, std::as_bytes(std::span(values)));
    queue_.wait();
}

}  // namespace trellis
