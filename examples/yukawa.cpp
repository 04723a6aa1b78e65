// A ball of charged dust in a plasma blows itself apart: an interaction and a field that are not part of Trellis. The
// force is computed on the device that is named, such as trellis://gpubox/cpu (see yukawa_kernels.cpp), or here.
#include <cstdio>
#include <random>
#include <trellis/compile.hpp>
#include <trellis/trellis.hpp>

#include "yukawa.hpp"

using namespace trellis;
using namespace trellis::fields;

int main(int count, char** words) {
    const auto dust = std::make_shared<ParticleSet>(3000);
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    for (auto& x : (*dust)[position]) x = {gauss(random), gauss(random), gauss(random)};
    for (auto& m : (*dust)[mass]) m = 1;
    for (auto& q : dust->add(charge)) q = 0.01;

    Simulation sim(dust, 0.1);
    sim.add_force(tree_force(Yukawa{.epsilon2 = 1e-4f, .per_length = 1.0f}, {.theta = 0.6},
                             count > 1 ? open_device(words[1]) : nullptr));
    sim.compute_forces();
    const double energy = potential_energy(*dust);
    for (int shown = 0; shown <= 4; ++shown) {
        sim.run_until(shown * 0.5);
        const double kinetic = kinetic_energy(*dust), total = kinetic + potential_energy(*dust);
        std::printf("time %.1f  kinetic %.4f  total %.4f  change %.1e\n", sim.time(), kinetic, total,
                    total / energy - 1);
    }
    return std::abs((kinetic_energy(*dust) + potential_energy(*dust)) / energy - 1) < 1e-2 ? 0 : 1;
}
