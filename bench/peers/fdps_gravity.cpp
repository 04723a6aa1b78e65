// Steps of gravity with FDPS on one thread, for bench/peers/peers.py: tree, lists and forces made at each.
//   fdps_gravity PARTICLES OUT SOFTENING LEAF GROUP THETA...
// PARTICLES: x, y, z and mass of each particle, in double. For each opening angle it prints "step THETA SECONDS" of the
// second of two steps, and writes OUT.THETA, the accelerations in double. Cells have quadrupoles; the kernels are those
// that FDPS's generator PIKG, which needs ruby, makes for AVX-512 of descriptions in FDPS's samples. With FDPS's folder
// in $fdps and a folder for what is made in $made, it is built so:
//   make() { "$fdps/pikg/bin/pikg" --conversion-type AVX-512 "${@:3}" --epi-name Target --epj-name "$1" \
//       --force-name Sum --kernel-name "$1Kernel" -i "$fdps/sample/c++/$2.pikg" -o "$made/$1.hpp"; }
//   make Point nbody/kernel_epep
//   make Cell planetary_ring/kernel_sp_quad --class-file bench/peers/fdps_gravity.cpp
//   g++ -std=c++17 -O3 -march=native -ffast-math -DPIKG_USE_FDPS_VECTOR -I"$made" -I"$fdps/src" -I"$fdps/pikg/inc" \
//       bench/peers/fdps_gravity.cpp -o "$made/fdps_gravity"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <particle_simulator.hpp>
#include <string>
#include <vector>

struct Target {
    PS::F32vec pos;
};
struct Point {
    PS::F32vec pos;
    PS::F32 mass;
};
struct Cell {
    PS::F32vec pos;
    PS::F32 mass;
    PS::F32 quad_xx;
    PS::F32 quad_yy;
    PS::F32 quad_zz;
    PS::F32 quad_xy;
    PS::F32 quad_xz;
    PS::F32 quad_yz;
};
struct Sum {
    PS::F32vec acc;
    PS::F32 pot;
};

#include "Cell.hpp"
#include "Point.hpp"

namespace {

constexpr int simd_width = 16;  // targets are filled up to whole vectors: kernels are slow at those that are left over

struct Force {
    PS::F64vec acc;
    PS::F64 pot;
    void clear() {
        acc = 0.0;
        pot = 0.0;
    }
};

struct Star {
    PS::F64vec pos;
    PS::F64 mass;
    Force force;
    PS::F64vec getPos() const { return pos; }
    void copyFromForce(const Force& sum) { force = sum; }
};

// The part of a star that FDPS copies, as target and as source.
struct Mass {
    PS::F64vec pos;
    PS::F64 mass;
    PS::F64vec getPos() const { return pos; }
    PS::F64 getCharge() const { return mass; }
    void setPos(const PS::F64vec& place) { pos = place; }
    void copyFromFP(const Star& star) {
        pos = star.pos;
        mass = star.mass;
    }
};

Point converted(const Mass& from, const PS::F64vec& origin) { return {from.pos - origin, PS::F32(from.mass)}; }

Cell converted(const PS::SPJQuadrupole& from, const PS::F64vec& origin) {
    const auto& q = from.quad;
    return {from.pos - origin, PS::F32(from.mass), PS::F32(q.xx), PS::F32(q.yy),
            PS::F32(q.zz),     PS::F32(q.xy),      PS::F32(q.xz), PS::F32(q.yz)};
}

template <class Kernel, class Source>
struct Interaction {
    float softening_squared;

    template <class From>
    void operator()(const Mass* to, int targets, const From* from, int count, Force* forces) const {
        static std::vector<Target> at;
        static std::vector<Source> sources;
        static std::vector<Sum> sums;
        const int filled = (targets + simd_width - 1) / simd_width * simd_width;
        at.resize(filled);
        sums.assign(filled, Sum{});
        sources.resize(count);
        const PS::F64vec origin = to[0].pos;
        for (int i = 0; i < filled; ++i) at[i].pos = to[i < targets ? i : 0].pos - origin;
        for (int j = 0; j < count; ++j) sources[j] = converted(from[j], origin);
        Kernel{softening_squared}(at.data(), filled, sources.data(), count, sums.data());
        for (int i = 0; i < targets; ++i) {
            forces[i].acc += sums[i].acc;
            forces[i].pot += sums[i].pot;
        }
    }
};

using Stars = PS::ParticleSystem<Star>;
using Tree = PS::TreeForForceLong<Force, Mass, Mass>::Quadrupole;

struct Settings {
    float softening;
    int leaf, group;
};

// Seconds of the second of two steps: memory is allocated in the first.
double seconds_of_step(Stars& stars, PS::DomainInfo& domain, const Settings& settings, float theta) {
    Tree tree;
    tree.initialize(stars.getNumberOfParticleLocal(), theta, settings.leaf, settings.group);
    const float square = settings.softening * settings.softening;
    std::chrono::duration<double> spent{};
    for (int step = 0; step < 2; ++step) {
        const auto start = std::chrono::steady_clock::now();
        domain.decomposeDomainAll(stars);
        tree.calcForceAllAndWriteBack(Interaction<PointKernel, Point>{square}, Interaction<CellKernel, Cell>{square},
                                      stars, domain);
        spent = std::chrono::steady_clock::now() - start;
    }
    return spent.count();
}

void read(Stars& stars, const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<double> values;
    for (double value; file.read(reinterpret_cast<char*>(&value), sizeof value);) values.push_back(value);
    stars.setNumberOfParticleLocal(static_cast<int>(values.size() / 4));
    for (std::size_t k = 0; k < values.size() / 4; ++k) {
        stars[k].pos = PS::F64vec(values[4 * k], values[4 * k + 1], values[4 * k + 2]);
        stars[k].mass = values[4 * k + 3];
    }
}

void write(const Stars& stars, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    for (int k = 0; k < stars.getNumberOfParticleLocal(); ++k)
        file.write(reinterpret_cast<const char*>(&stars[k].force.acc), sizeof stars[k].force.acc);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 7) {
        std::fprintf(stderr, "fdps_gravity PARTICLES OUT SOFTENING LEAF GROUP THETA...\n");
        return 2;
    }
    PS::Initialize(argc, argv);
    const Settings settings{std::strtof(argv[3], nullptr), std::atoi(argv[4]), std::atoi(argv[5])};
    Stars stars;
    stars.initialize();
    read(stars, argv[1]);
    PS::DomainInfo domain;
    domain.initialize();
    for (int k = 6; k < argc; ++k) {
        std::printf("step %s %.6f\n", argv[k], seconds_of_step(stars, domain, settings, std::strtof(argv[k], nullptr)));
        write(stars, std::string(argv[2]) + "." + argv[k]);
    }
    PS::Finalize();
}
