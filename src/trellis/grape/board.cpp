#include "trellis/grape/board.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

template <class T>
std::span<T> values_in(const HostMemory& memory, std::size_t count) {
    return {reinterpret_cast<T*>(memory.begin()), count};
}

std::span<const double> components(std::span<const Vec3<double>> vectors) {
    return {reinterpret_cast<const double*>(vectors.data()), 3 * vectors.size()};
}

bool equal_bits(std::span<const Vec3<double>> a, std::span<const Vec3<double>> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

template <class Call>
void launch(Queue& queue, std::string_view kernel, const Call& call,
            std::initializer_list<const DeviceMemory*> memory) {
    queue.launch(kernel, std::as_bytes(std::span(&call, 1)), std::span(memory.begin(), memory.size()));
}

}  // namespace

GrapeBoard::GrapeBoard(const std::shared_ptr<Device>& device)
    : device_(device),
      positions_(device),
      targets_(device),
      masses_(device),
      radii_(device),
      queue_(device->make_queue()) {
    register_grape_kernels();
}

void GrapeBoard::write_positions(std::size_t first, std::span<const Vec3<double>> positions) {
    wait();
    std::ranges::copy(positions, positions_.write(first, positions.size()).begin());
    position_reach_.widen(first, components(positions));
}

void GrapeBoard::write_masses(std::size_t first, std::span<const double> masses) {
    wait();
    std::ranges::copy(masses, masses_.write(first, masses.size()).begin());
    mass_reach_.widen(first, masses);
}

void GrapeBoard::write_radii(std::size_t first, std::span<const double> radii) {
    wait();
    std::ranges::copy(radii, radii_.write(first, radii.size()).begin());
}

void GrapeBoard::write_targets(std::span<const Vec3<double>> positions) {
    wait();
    std::ranges::copy(positions, targets_.write(0, positions.size()).begin());
    target_reach_.widen(0, components(positions));
}

void GrapeBoard::start_forces(std::size_t targets, GrapeRange sources, double softening) {
    wait();
    const bool among_sources = equal_bits(targets_.written(targets), positions_.written(targets));
    if (!among_sources) targets_.upload(*queue_);
    start(among_sources ? positions_ : targets_, {0, targets}, sources, softening, target_reach_.largest());
}

void GrapeBoard::start_forces_among(GrapeRange targets, GrapeRange sources, double softening) {
    wait();
    start(positions_, targets, sources, softening, 0);
}

void GrapeBoard::start(const Mirrored<Vec3<double>>& positions, GrapeRange targets, GrapeRange sources,
                       double softening, double reach) {
    force_count_ = targets.count;
    const std::size_t bytes = targets.count * sizeof(GrapeForce);
    make_room(host_forces_, device_, bytes);
    if (targets.count == 0 || sources.count == 0) {
        std::ranges::fill(values_in<GrapeForce>(host_forces_, targets.count), GrapeForce{});
        return;
    }
    working_ = true;
    positions_.upload(*queue_);
    masses_.upload(*queue_);
    const GrapeForcesCall call{targets.first,
                               targets.count,
                               sources.first,
                               sources.count,
                               grape_parts(targets.count, sources.count),
                               softening,
                               unit_above(std::max({reach, position_reach_.largest(), softening})),
                               unit_above(mass_reach_.largest())};
    make_room(partial_sums_, device_, call.parts * bytes);
    make_room(forces_, device_, bytes);
    launch(*queue_, grape_forces_kernel, call,
           {&positions.on_device(), &positions_.on_device(), &masses_.on_device(), &partial_sums_, &forces_});
    queue_->download(forces_, 0, {host_forces_.begin(), bytes});
    queue_->flush();
}

std::span<const GrapeForce> GrapeBoard::forces() {
    wait();
    return values_in<const GrapeForce>(host_forces_, force_count_);
}

// Downloads lists together with their begins: as many entries as the last search found, and an eighth more, as far as
// there is room on the device.
void GrapeBoard::start_neighbours(GrapeRange targets, GrapeRange sources) {
    if (searching_) wait();  // otherwise at most forces are under way, which use other memory
    search_ = {targets.first, targets.count, sources.first, sources.count, 0};
    if (targets.count == 0) return;
    working_ = searching_ = true;
    positions_.upload(*queue_);
    radii_.upload(*queue_);
    const std::size_t bytes = (targets.count + 1) * sizeof(std::uint64_t);
    make_room(begins_, device_, bytes);
    make_room(host_begins_, device_, bytes);
    make_room(found_, device_, 32 * targets.count * sizeof(std::uint32_t));
    launch_neighbours();
    downloaded_ = std::min(downloaded_ + downloaded_ / 8, search_.room);
    make_room(host_found_, device_, downloaded_ * sizeof(std::uint32_t));
    if (downloaded_ > 0)
        queue_->download(found_, 0, std::as_writable_bytes(values_in<std::uint32_t>(host_found_, downloaded_)));
    queue_->flush();
}

void GrapeBoard::launch_neighbours() {
    search_.room = found_.bytes() / sizeof(std::uint32_t);
    launch(*queue_, grape_neighbours_kernel, search_,
           {&positions_.on_device(), &radii_.on_device(), &begins_, &found_});
    queue_->download(begins_, 0, std::as_writable_bytes(values_in<std::uint64_t>(host_begins_, search_.targets + 1)));
}

GrapeNeighbours GrapeBoard::neighbours() {
    wait();
    static constexpr std::uint64_t none[] = {0};
    if (search_.targets == 0) return {none, {}};
    const auto begins = values_in<const std::uint64_t>(host_begins_, search_.targets + 1);
    const std::size_t total = begins.back(), bytes = total * sizeof(std::uint32_t);
    if (total > search_.room) {
        make_room(found_, device_, bytes);
        launch_neighbours();
    }
    if (total > downloaded_) {
        make_room(host_found_, device_, bytes);
        queue_->download(found_, 0, {host_found_.begin(), bytes});
        queue_->wait();
    }
    downloaded_ = total;
    return {begins, values_in<const std::uint32_t>(host_found_, total)};
}

void GrapeBoard::wait() {
    if (!working_) return;
    working_ = searching_ = false;
    queue_->wait();
}

}  // namespace trellis
