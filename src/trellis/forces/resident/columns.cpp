#include "trellis/forces/resident/columns.hpp"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/resident/particle_kernels.hpp"

namespace trellis {

ResidentColumns::ResidentColumns(std::shared_ptr<Device> device, Queue& queue, const ParticleSet& particles)
    : device_(std::move(device)), queue_(queue), size_(particles.size()) {
    constexpr std::size_t vector = sizeof(Vec3<double>);
    for (DeviceMemory* column : {&position_, &velocity_, &acceleration_, &spare_vectors_})
        *column = DeviceMemory(device_, size_ * vector);
    for (DeviceMemory* column : {&mass_, &potential_, &spare_doubles_})
        *column = DeviceMemory(device_, size_ * sizeof(double));
    for (DeviceMemory* column : {&row_, &spare_rows_}) *column = DeviceMemory(device_, size_ * sizeof(std::uint32_t));
    if (size_ == 0) return;
    std::vector<std::uint32_t> rows(size_);
    std::iota(rows.begin(), rows.end(), 0);
    queue_.upload(position_, 0, std::as_bytes(particles[trellis::position]));
    queue_.upload(velocity_, 0, std::as_bytes(particles[trellis::velocity]));
    queue_.upload(mass_, 0, std::as_bytes(particles[trellis::mass]));
    queue_.upload(acceleration_, 0, std::as_bytes(particles[trellis::acceleration]));
    queue_.upload(potential_, 0, std::as_bytes(particles[trellis::potential]));
    queue_.upload(row_, 0, std::as_bytes(std::span(rows)));
    queue_.wait();
}

void ResidentColumns::reorder(const DeviceMemory& order) {
    for (DeviceMemory* column : {&position_, &velocity_, &acceleration_})
        reorder<Vec3<double>>(order, *column, spare_vectors_);
    reorder<double>(order, mass_, spare_doubles_);
    reorder<std::uint32_t>(order, row_, spare_rows_);
}

template <class T>
void ResidentColumns::reorder(const DeviceMemory& order, DeviceMemory& column, DeviceMemory& spare) {
    launch_grid(queue_, Reorder<T>{}, size_, order, column, spare);
    std::swap(column, spare);
}

void ResidentColumns::download(ParticleSet& particles) {
    if (particles.size() != size_)
        throw InputError("the particles to be downloaded are " + std::to_string(size_) + ": a set of " +
                         std::to_string(particles.size()) + " cannot take them");
    constexpr std::size_t vector = sizeof(Vec3<double>);
    if (size_ == 0) return;
    if (fetched_.bytes() == 0) fetched_ = HostMemory(device_, size_ * (vector + sizeof(std::uint64_t)));
    const auto* rows = fetch<std::uint32_t>(row_, size_ * vector);
    const auto take = [&](const DeviceMemory& column, auto to) {
        const auto* values = fetch<typename decltype(to)::value_type>(column, 0);
        parallel_for(size_, [&](std::size_t k) { to[rows[k]] = values[k]; });
    };
    take(position_, particles[trellis::position]);
    take(velocity_, particles[trellis::velocity]);
    take(mass_, particles[trellis::mass]);
    take(acceleration_, particles[trellis::acceleration]);
    take(potential_, particles[trellis::potential]);
}

// A column on the host, at some offset into the memory there.
template <class T>
const T* ResidentColumns::fetch(const DeviceMemory& column, std::size_t offset) {
    const std::span<std::byte> to(fetched_.begin() + offset, size_ * sizeof(T));
    queue_.download(column, 0, to);
    queue_.wait();
    return reinterpret_cast<const T*>(to.data());
}

}  // namespace trellis
