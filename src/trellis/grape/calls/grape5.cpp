#include "trellis/grape/calls/grape5.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

void check_within(const char* what, int value, int least, int most) {
    if (value < least || value > most)
        throw InputError(std::string(what) + " is " + std::to_string(value) + ", but must be from " +
                         std::to_string(least) + " to " + std::to_string(most));
}

void check_given(const char* what, const void* array, int count) {
    if (array == nullptr && count > 0) throw InputError(std::string(what) + " is a null pointer");
}

void read_forces(std::span<const GrapeForce> forces, Vec3<double>* accelerations, double* potentials) {
    for (std::size_t i = 0; i < forces.size(); ++i) {
        accelerations[i] = forces[i].acceleration;
        potentials[i] = forces[i].potential;
    }
}

}  // namespace

Grape5& grape5() {
    static auto& all = *new Grape5;  // never destroyed, since devices may be closed before
    return all;
}

void Grape5::open() { slot(0); }

void Grape5::close() {
    const std::scoped_lock lock(mutex_);
    slots_.clear();
    devices_.reset();
}

void Grape5::check_range(double xmin, double xmax, double mmin) {
    if (!(xmin < xmax) || !std::isfinite(xmax - xmin))
        throw InputError("xmin and xmax are " + to_text(xmin) + " and " + to_text(xmax) +
                         ", but must be finite and xmin less than xmax");
    if (!(mmin >= 0) || !std::isfinite(mmin))
        throw InputError("mmin is " + to_text(mmin) + ", but must be at least 0 and finite");
}

void Grape5::set_softening(double softening) {
    if (!(softening >= 0) || !std::isfinite(softening))
        throw InputError("eps is " + to_text(softening) + ", but must be at least 0 and finite");
    softening_ = softening;
}

void Grape5::set_count(int board, int count) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    there.sources.reset();
    check_within("n", count, 0, j_memory);
    there.sources = static_cast<std::size_t>(count);
}

void Grape5::set_sources(int board, int first, int count, const Vec3<double>* positions, const double* masses) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    there.has_sources = false;
    check_within("adr", first, 0, j_memory);
    check_within("nj", count, 0, j_memory - first);
    check_given("xj", positions, count);
    check_given("mj", masses, count);
    const auto begin = static_cast<std::size_t>(first), number = static_cast<std::size_t>(count);
    there.board.write_positions(begin, {positions, number});
    there.board.write_masses(begin, {masses, number});
    there.has_sources = true;
}

void Grape5::set_targets(int board, int count, const Vec3<double>* positions) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    there.targets = 0;
    there.has_run = false;
    check_within("ni", count, 0, std::numeric_limits<int>::max());
    check_given("xi", positions, count);
    there.board.write_targets({positions, static_cast<std::size_t>(count)});
    there.targets = static_cast<std::size_t>(count);
}

void Grape5::start(Slot& slot, std::size_t targets) const {
    if (!slot.sources) throw InputError("the number of j-particles is not known: g5_set_n comes first");
    if (*slot.sources > 0 && !slot.has_sources) throw InputError("there are no j-particles: g5_set_xmj comes first");
    if (*slot.sources > slot.board.positions())
        throw InputError("n is " + std::to_string(*slot.sources) + ", but g5_set_xmj has given " +
                         std::to_string(slot.board.positions()) + " particles");
    slot.board.start_forces(targets, {0, *slot.sources}, softening_);
}

void Grape5::run(int board) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    there.has_run = false;
    start(there, there.targets);
    there.has_run = true;
}

int Grape5::targets(int board) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    return static_cast<int>(there.targets);
}

void Grape5::get_forces(int board, int count, Vec3<double>* accelerations, double* potentials) {
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    if (!there.has_run) throw InputError("there are no forces yet: g5_set_xi and g5_run come first");
    check_within("ni", count, 0, static_cast<int>(there.targets));
    check_given("a", accelerations, count);
    check_given("p", potentials, count);
    read_forces(there.board.forces().first(static_cast<std::size_t>(count)), accelerations, potentials);
}

void Grape5::forces_on(int board, int count, const Vec3<double>* positions, Vec3<double>* accelerations,
                       double* potentials) {
    check_within("ni", count, 0, std::numeric_limits<int>::max());
    check_given("x", positions, count);
    check_given("a", accelerations, count);
    check_given("p", potentials, count);
    Slot& there = slot(board);
    const std::scoped_lock lock(there.mutex);
    there.has_run = false;
    const auto targets = static_cast<std::size_t>(count);
    there.board.write_targets({positions, targets});
    start(there, targets);
    read_forces(there.board.forces(), accelerations, potentials);
}

Grape5::Slot& Grape5::slot(int number) {
    check_within("devid", number, 0, most_boards - 1);
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Slot>& found = slots_[number];
    if (!found) {
        if (!devices_) devices_.emplace();
        found = std::make_unique<Slot>(devices_->device(static_cast<std::size_t>(number)));
    }
    return *found;
}

}  // namespace trellis
