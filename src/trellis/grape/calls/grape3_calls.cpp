#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "trellis/grape/calls/c_call.hpp"
#include "trellis/grape/calls/grape3.hpp"
#include "trellis/grape/grape3.h"

namespace {

using trellis::Grape3;
using trellis::GrapeRange;
using trellis::InputError;
using trellis::Vec3;

static_assert(G3_BAD_CALL == trellis::bad_call && G3_TOO_MANY_NEIGHBORS == trellis::too_many_neighbours &&
              G3_DEVICE_FAILED == trellis::device_failed);
static_assert(G3_GRAVITY == Grape3::gravity && G3_GRAVITY_AND_NEIGHBORS == Grape3::gravity_and_neighbours &&
              G3_NEIGHBORS == Grape3::neighbours_alone);

// Calls body(calls), which returns nothing, or a number for the caller.
template <class Body>
int call(const char* name, Body&& body) {
    return trellis::carry_out(name, [&]() -> int {
        auto& [mutex, calls] = trellis::grape3();
        const std::scoped_lock lock(mutex);
        if constexpr (std::is_void_v<decltype(body(calls))>) {
            body(calls);
            return 0;
        } else {
            return body(calls);
        }
    });
}

template <class... Arrays>
std::size_t checked(int n, const Arrays*... arrays) {
    if (n < 0) throw InputError("n is " + std::to_string(n) + ", but must be at least 0");
    if (n > 0 && ((arrays == nullptr) || ...)) throw InputError("an array is a null pointer");
    return static_cast<std::size_t>(n);
}

template <class T>
std::vector<double> numbers(int n, const T* values) {
    const std::size_t count = checked(n, values);
    return {values, values + count};
}

// Vectors whose components are three apart.
template <class T>
std::vector<Vec3<double>> vectors(int n, const T* x, const T* y, const T* z) {
    std::vector<Vec3<double>> result(checked(n, x, y, z));
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = {x[3 * k], y[3 * k], z[3 * k]};
    return result;
}

template <class T>
void write(const trellis::GrapeForce& force, std::size_t k, T* ax, T* ay, T* az, T* pot) {
    ax[3 * k] = static_cast<T>(force.acceleration.x);
    ay[3 * k] = static_cast<T>(force.acceleration.y);
    az[3 * k] = static_cast<T>(force.acceleration.z);
    pot[k] = static_cast<T>(force.potential);
}

template <class T>
void write_nan(int n, T* ax, T* ay, T* az, T* pot) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (ax == nullptr || ay == nullptr || az == nullptr || pot == nullptr) return;
    for (int k = 0; k < n; ++k) write({{nan, nan, nan}, nan}, static_cast<std::size_t>(k), ax, ay, az, pot);
}

template <class T>
int forces_on(const char* name, int n, const T* x, T* acc, T* pot) {
    const int outcome = call(name, [&](Grape3& calls) {
        checked(n, acc, pot);
        const auto forces = calls.forces_on(vectors(n, x, x + 1, x + 2));
        for (std::size_t k = 0; k < forces.size(); ++k) write(forces[k], k, acc, acc + 1, acc + 2, pot);
    });
    if (outcome < 0) write_nan(n, acc, acc + 1, acc + 2, pot);
    return outcome;
}

template <class T>
int forces(const char* name, int n, T* ax, T* ay, T* az, T* pot) {
    const int outcome = call(name, [&](Grape3& calls) {
        checked(n, ax, ay, az, pot);
        const auto found = calls.forces();
        calls.check_count(n);
        for (std::size_t k = 0; k < found.size(); ++k) write(found[k], calls.targets().first + k, ax, ay, az, pot);
    });
    if (outcome < 0) write_nan(n, ax, ay, az, pot);
    return outcome;
}

// Writes the lists and the first `begins` of their begins; returns the number of all neighbours.
template <class Number>
int write_neighbours(const trellis::GrapeNeighbours& neighbours, GrapeRange targets, std::size_t capacity, Number* list,
                     std::size_t begins, int* begin) {
    const std::size_t total = neighbours.found.size();
    if (total > std::min<std::size_t>(capacity, std::numeric_limits<int>::max() - 1))
        throw trellis::TooManyNeighbours("there are " + std::to_string(total) +
                                         " neighbours, but the list has room for " + std::to_string(capacity));
    for (std::size_t k = 0; k < total; ++k) list[k] = static_cast<Number>(neighbours.found[k] + 1);
    for (std::size_t k = 0; k < begins; ++k) {
        const std::size_t before = std::min(k - std::min(k, targets.first), targets.count);
        begin[k] = static_cast<int>(neighbours.begins[before]) + 1;
    }
    return static_cast<int>(total);
}

int neighbours_of_paper(const char* name, int n, unsigned short* list, int* begin) {
    return call(name, [&](Grape3& calls) {
        const std::size_t count = checked(n, list, begin);
        if (n > 65535)
            throw InputError("n is " + std::to_string(n) +
                             ", but numbers of 2 bytes reach up to 65535: call g3getneighbor_d");
        const auto neighbours = calls.neighbours();
        calls.check_count(n);
        return write_neighbours(neighbours, calls.targets(), 100 * count, list, count, begin);
    });
}

// The particles from number first to number last, counted from 1.
GrapeRange range(const char* what, int first, int last) {
    if (first < 1 || last < first - 1)
        throw InputError(std::string(what) + " are " + std::to_string(first) + " to " + std::to_string(last) +
                         ", but are counted from 1, the first number first");
    return {static_cast<std::size_t>(first - 1), static_cast<std::size_t>(last - first + 1)};
}

void start(Grape3& calls, int i0, int i1, int j0, int j1, int mode) {
    calls.start(range("the i-particles", i0, i1), range("the j-particles", j0, j1), mode);
}

template <class T>
int write_position(const char* name, int j, const T* x) {
    return call(name, [&](Grape3& calls) {
        checked(1, x);
        calls.write_position(j, {x[0], x[1], x[2]});
    });
}

template <class T>
int write_masses(const char* name, int n, const T* mass) {
    return call(name, [&](Grape3& calls) { calls.write_masses(numbers(n, mass)); });
}

template <class T>
int write_positions(const char* name, int n, const T* x, const T* y, const T* z) {
    return call(name, [&](Grape3& calls) { calls.write_positions(vectors(n, x, y, z)); });
}

template <class T>
int write_radii(const char* name, int n, const T* h) {
    return call(name, [&](Grape3& calls) { calls.write_radii(numbers(n, h)); });
}

}  // namespace

int g3setscales(float length, float mass) {
    return call("g3setscales", [&](Grape3&) { Grape3::check_scales(length, mass); });
}
int g3seteps2(float eps2) { return g3seteps2_d(eps2); }
int g3seteps2_d(double eps2) {
    return call("g3seteps2", [&](Grape3& calls) { calls.set_softening2(eps2); });
}

int g3setn(int n) {
    return call("g3setn", [&](Grape3& calls) { calls.set_count(n); });
}
int g3setxj(int j, const float* x) { return write_position("g3setxj", j, x); }
int g3setxj_d(int j, const double* x) { return write_position("g3setxj_d", j, x); }
int g3setm(int j, float mass) { return g3setm_d(j, mass); }
int g3setm_d(int j, double mass) {
    return call("g3setm", [&](Grape3& calls) { calls.write_mass(j, mass); });
}
int g3frc(const float* x, float* acc, float* pot, int n) { return forces_on("g3frc", n, x, acc, pot); }
int g3frc_d(const double* x, double* acc, double* pot, int n) { return forces_on("g3frc_d", n, x, acc, pot); }

int g3setmass(int n, const float* mass) { return write_masses("g3setmass", n, mass); }
int g3setmass_d(int n, const double* mass) { return write_masses("g3setmass_d", n, mass); }
int g3setdata(int n, const float* x, const float* y, const float* z) {
    return write_positions("g3setdata", n, x, y, z);
}
int g3setdata_d(int n, const double* x, const double* y, const double* z) {
    return write_positions("g3setdata_d", n, x, y, z);
}
int g3seth2all(int n, const float* h) { return write_radii("g3seth2all", n, h); }
int g3seth2all_d(int n, const double* h) { return write_radii("g3seth2all_d", n, h); }

int g3docalculation(int i0, int i1, int j0, int j1, int mode) {
    return call("g3docalculation", [&](Grape3& calls) {
        start(calls, i0, i1, j0, j1, mode);
        calls.wait();
    });
}
int g3docalculationpara(int i0, int i1, int j0, int j1, int mode) {
    return call("g3docalculationpara", [&](Grape3& calls) { start(calls, i0, i1, j0, j1, mode); });
}

int g3getgravity(int n, float* ax, float* ay, float* az, float* pot) {
    return forces("g3getgravity", n, ax, ay, az, pot);
}
int g3getgravity_d(int n, double* ax, double* ay, double* az, double* pot) {
    return forces("g3getgravity_d", n, ax, ay, az, pot);
}
int g3getgravityasync(int n, float* ax, float* ay, float* az, float* pot) {
    return forces("g3getgravityasync", n, ax, ay, az, pot);
}

int g3getneighbor(int n, unsigned short* list, int* begin) {
    return neighbours_of_paper("g3getneighbor", n, list, begin);
}
int g3getneighborasync(int n, unsigned short* list, int* begin) {
    return neighbours_of_paper("g3getneighborasync", n, list, begin);
}
int g3getneighbor_d(int n, int* list, int capacity, int* begin) {
    return call("g3getneighbor_d", [&](Grape3& calls) {
        const std::size_t count = checked(n, begin), room = checked(capacity, list);
        const auto neighbours = calls.neighbours();
        calls.check_count(n);
        return write_neighbours(neighbours, calls.targets(), room, list, count + 1, begin);
    });
}
