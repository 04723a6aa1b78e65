#include "trellis/grape/calls/grape3.hpp"

#include <cmath>

#include "trellis/grape/calls/device_list.hpp"

namespace trellis {

namespace {

void check_at_least(const char* what, double value, double least) {
    if (!(value >= least) || !std::isfinite(value))
        throw InputError(std::string(what) + " is " + to_text(value) + ", but must be at least " + to_text(least) +
                         " and finite");
}

void check_positive(const char* what, double value) {
    if (!(value > 0) || !std::isfinite(value))
        throw InputError(std::string(what) + " is " + to_text(value) + ", but must be positive and finite");
}

void check_range(const char* what, GrapeRange range, std::size_t count) {
    if (range.first > count || range.count > count - range.first)
        throw InputError(std::string(what) + " are " + std::to_string(range.first + 1) + " to " +
                         std::to_string(range.first + range.count) + ", but there are " + std::to_string(count) +
                         " particles");
}

void check_computed(const char* what, bool computed) {
    if (!computed)
        throw InputError(std::string("there is no ") + what +
                         " yet: a calculation in a mode that gives it comes first");
}

}  // namespace

SharedGrape3& grape3() {
    static auto& all = *new SharedGrape3;  // never destroyed, since devices may be closed before
    return all;
}

void Grape3::check_scales(double length, double mass) {
    check_positive("the scale of length", length);
    check_positive("the scale of mass", mass);
}

void Grape3::set_softening2(double softening2) {
    check_at_least("eps2", softening2, 0);
    softening_ = std::sqrt(softening2);
}

void Grape3::set_size(std::size_t count) {
    count_ = count;
    has_forces_ = has_neighbours_ = false;
}

void Grape3::set_count(int count) {
    check_at_least("n", count, 0);
    set_size(static_cast<std::size_t>(count));
}

void Grape3::write_position(int j, const Vec3<double>& position) {
    check_at_least("j", j, 0);
    board().write_positions(static_cast<std::size_t>(j), {&position, 1});
}

void Grape3::write_mass(int j, double mass) {
    check_at_least("j", j, 0);
    board().write_masses(static_cast<std::size_t>(j), {&mass, 1});
}

void Grape3::write_positions(std::span<const Vec3<double>> positions) {
    set_size(positions.size());
    board().write_positions(0, positions);
}

void Grape3::write_masses(std::span<const double> masses) { board().write_masses(0, masses); }

void Grape3::write_radii(std::span<const double> radii) {
    for (const double radius : radii) check_at_least("a radius", radius, 0);
    board().write_radii(0, radii);
}

std::span<const GrapeForce> Grape3::forces_on(std::span<const Vec3<double>> positions) {
    has_forces_ = false;
    if (board().positions() < count_ || board().masses() < count_)
        throw InputError("there are " + std::to_string(count_) + " particles, but positions of " +
                         std::to_string(board().positions()) + " and masses of " + std::to_string(board().masses()));
    board().write_targets(positions);
    board().start_forces(positions.size(), {0, count_}, softening_);
    return board().forces();
}

void Grape3::start(GrapeRange targets, GrapeRange sources, int mode) {
    has_forces_ = has_neighbours_ = false;
    if (mode < gravity || mode > neighbours_alone)
        throw InputError("mode is " + std::to_string(mode) +
                         ", but must be 1 (gravity), 2 (gravity and neighbours) or 3 (neighbours)");
    check_range("the i-particles", targets, count_);
    check_range("the j-particles", sources, count_);
    const auto check_has = [&](const char* what, std::size_t count) {
        if (count < count_)
            throw InputError("there are " + std::to_string(count_) + " particles, but " + what + " of " +
                             std::to_string(count));
    };
    check_has("positions", board().positions());
    targets_ = targets;
    if (mode != neighbours_alone) {
        check_has("masses", board().masses());
        board().start_forces_among(targets, sources, softening_);
        has_forces_ = true;
    }
    if (mode != gravity) {
        check_has("radii", board().radii());
        board().start_neighbours(targets, sources);
        has_neighbours_ = true;
    }
}

void Grape3::wait() { board().wait(); }

std::span<const GrapeForce> Grape3::forces() {
    check_computed("gravity", has_forces_);
    return board().forces();
}

GrapeNeighbours Grape3::neighbours() {
    check_computed("list of neighbours", has_neighbours_);
    return board().neighbours();
}

void Grape3::check_count(int count) const {
    if (count < 0 || static_cast<std::size_t>(count) != count_)
        throw InputError("n is " + std::to_string(count) + ", but there are " + std::to_string(count_) + " particles");
}

GrapeBoard& Grape3::board() {
    if (!board_) board_ = std::make_unique<GrapeBoard>(GrapeDeviceList().device(0));
    return *board_;
}

}  // namespace trellis
