// Small clouds of charged dust blow themselves apart, many at once: an ensemble of an interaction that is not part of
// Trellis, on the devices that are named, such as trellis://gpubox/cpu (see yukawa_kernels.cpp), or here.
#include <cmath>
#include <cstdio>
#include <random>
#include <trellis/ensembles/ensemble_of.hpp>
#include <trellis/trellis.hpp>

#include "yukawa.hpp"

using namespace trellis;
using namespace trellis::fields;

int main(int count, char** words) {
    constexpr std::size_t clouds = 50, grains = 40;
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    std::vector<ParticleSet> dust;
    for (std::size_t k = 0; k < clouds; ++k) {
        ParticleSet& cloud = dust.emplace_back(grains);
        for (auto& x : cloud[position]) x = {gauss(random), gauss(random), gauss(random)};
        for (auto& m : cloud[mass]) m = 1;
        for (auto& q : cloud.add(charge)) q = 0.1;
    }
    std::vector<const ParticleSet*> systems;
    for (const ParticleSet& cloud : dust) systems.push_back(&cloud);
    std::vector<std::shared_ptr<Device>> devices;
    for (int k = 1; k < count; ++k) devices.push_back(open_device(words[k]));

    Ensemble ensemble = ensemble_of(Yukawa{.epsilon2 = 1e-2f, .per_length = 1.0f}, systems,
                                    std::vector<SystemSettings>(clouds, {.timestep = 0.01}), Devices(devices));
    const auto first = ensemble.advance(1, 1), last = ensemble.advance(1000, 1000);
    double mean = 0, square = 0, worst = 0;
    for (std::size_t k = 0; k < clouds; ++k) {
        mean += last[k].kinetic / clouds;
        square += last[k].kinetic * last[k].kinetic / clouds;
        const double before = first[k].kinetic + first[k].potential, now = last[k].kinetic + last[k].potential;
        worst = std::max(worst, std::abs(now / before - 1));
    }
    std::printf("kinetic %.6f, scatter %.6f; the largest change of a total %.1e\n", mean,
                std::sqrt(square - mean * mean), worst);
    return worst < 1e-2 ? 0 : 1;
}
