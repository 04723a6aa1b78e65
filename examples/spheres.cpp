// Soft spheres in a periodic box: a short-range interaction that is not part of Trellis, on the device named, or on the
// host.
#include <cstdio>
#include <random>
#include <trellis/compile.hpp>
#include <trellis/trellis.hpp>

#include "spheres.hpp"

using namespace trellis;
using namespace trellis::fields;

int main(int argc, char** argv) {
    const auto spheres = std::make_shared<ParticleSet>(1000);
    spheres->set_region({{0, 0, 0}, {10, 10, 10}});
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> along(0, 10);
    for (auto& x : (*spheres)[position]) x = {along(random), along(random), along(random)};
    for (auto& m : (*spheres)[mass]) m = 1;

    Simulation sim(spheres, 0.01);
    const auto device = argc > 1 ? open_device(argv[1]) : nullptr;
    sim.add_force(short_range_force(Spheres{.cutoff = 1, .stiffness = 1, .per_cutoff = 1}, {.device = device}));
    sim.compute_forces();
    const double energy = potential_energy(*spheres);
    for (int shown = 0; shown <= 4; ++shown) {
        sim.run_until(shown * 0.5);
        const double kinetic = kinetic_energy(*spheres), total = kinetic + potential_energy(*spheres);
        std::printf("time %.1f  kinetic %.4f  total %.4f  change %.1e\n", sim.time(), kinetic, total,
                    total / energy - 1);
    }
    return std::abs((kinetic_energy(*spheres) + potential_energy(*spheres)) / energy - 1) < 1e-3 ? 0 : 1;
}
