#include <algorithm>
#include <limits>

#include "trellis/grape/calls/c_call.hpp"
#include "trellis/grape/calls/grape5.hpp"
#include "trellis/grape/gp5util.h"

namespace {

using trellis::Grape5;
using trellis::grape5;
using trellis::Vec3;

static_assert(JMEMSIZE == Grape5::j_memory);

Vec3<double>* vectors(double (*x)[3]) { return reinterpret_cast<Vec3<double>*>(x); }

// Calls the body. Returns false if it failed.
template <class Body>
bool carry_out(const char* call, Body&& body) {
    return trellis::carry_out(call, [&] { return body(), 0; }) == 0;
}

// Fills the caller's arrays with NaN instead of forces.
void no_forces(int count, double (*a)[3], double* p) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (count <= 0) return;
    if (a != nullptr) std::fill_n(&a[0][0], 3 * static_cast<std::size_t>(count), nan);
    if (p != nullptr) std::fill_n(p, count, nan);
}

}  // namespace

void g5_open() {
    carry_out("g5_open", [] { grape5().open(); });
}
void g5_close() {
    carry_out("g5_close", [] { grape5().close(); });
}

int g5_get_number_of_pipelines() { return Grape5::pipelines; }
int g5_get_jmemsize() { return Grape5::j_memory; }

void g5_set_range(double xmin, double xmax, double mmin) {
    carry_out("g5_set_range", [&] { Grape5::check_range(xmin, xmax, mmin); });
}
void g5_set_eps_to_all(double eps) {
    carry_out("g5_set_eps_to_all", [&] { grape5().set_softening(eps); });
}

void g5_set_nMC(int devid, int n) {
    carry_out("g5_set_n", [&] { grape5().set_count(devid, n); });
}
void g5_set_n(int n) { g5_set_nMC(0, n); }

void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj) {
    if (adr > 0) {
        xj = xj == nullptr ? xj : xj + adr;
        mj = mj == nullptr ? mj : mj + adr;
    }
    carry_out("g5_set_xmj", [&] { grape5().set_sources(devid, adr, nj, vectors(xj), mj); });
}
void g5_set_xmj(int adr, int nj, double (*xj)[3], double* mj) { g5_set_xmjMC(0, adr, nj, xj, mj); }

void g5_set_xiMC(int devid, int ni, double (*xi)[3]) {
    carry_out("g5_set_xi", [&] { grape5().set_targets(devid, ni, vectors(xi)); });
}
void g5_set_xi(int ni, double (*xi)[3]) { g5_set_xiMC(0, ni, xi); }

void g5_runMC(int devid) {
    carry_out("g5_run", [&] { grape5().run(devid); });
}
void g5_run() { g5_runMC(0); }

void g5_get_forceMC(int devid, int ni, double (*a)[3], double* p) {
    if (!carry_out("g5_get_force", [&] { grape5().get_forces(devid, ni, vectors(a), p); })) no_forces(ni, a, p);
}
void g5_get_force(int ni, double (*a)[3], double* p) { g5_get_forceMC(0, ni, a, p); }

void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni) {
    const auto compute = [&] { grape5().forces_on(devid, ni, vectors(x), vectors(a), p); };
    if (!carry_out("g5_calculate_force_on_x", compute)) no_forces(ni, a, p);
}
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni) {
    g5_calculate_force_on_xMC(0, x, a, p, ni);
}
