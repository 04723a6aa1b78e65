// How a tree force is to be computed. Zero and automatic mean: chosen for the accuracy.
#pragma once

#include <cstdint>

#include "trellis/lists/essential_exchange.hpp"
#include "trellis/lists/opening.hpp"

namespace trellis {

enum class Method {
    automatic,
    tree,  // cells act on each i-particle as superparticles (Barnes & Hut 1986, Barnes 1990, FDPS)
    fmm    // cells act on target cells by local expansions (Greengard & Rokhlin 1987, Dehnen 2002)
};

enum class Criterion {
    automatic,
    geometric,  // size over distance below theta
    relative    // estimated error below a share of the last acceleration (Springel 2005, eq. 18)
};

enum class Precision {
    automatic,  // single, unless the extent of the particles is out of its range
    single_,
    double_
};

// What becomes of tree and lists after a step.
enum class Lists {
    rebuild,  // made anew at each step
    reuse     // kept over steps, while they hold (paper, section 4.2: method G3)
};

// What a device is sent to act on i-particles.
enum class Send {
    particles,  // the particles of each list, as often as they stand on one (paper: method G1)
    indices     // all particles and cells once, and lists that name them (paper, section 4.1: G2, G3)
};

struct ForceSettings {
    double accuracy = 1e-3;  // RMS relative force error asked for; decides what is left open below
    double theta = 0;  // opening angle, below 1 (fmm) or 2 (tree); given without criterion: the geometric criterion
    Method method = Method::automatic;
    Criterion criterion = Criterion::automatic;
    int order = 0;                 // of the expansions: 1 monopole, 2 quadrupole, ...; tree: 1 to 2, fmm: 2 to 5
    std::uint32_t group_size = 0;  // most i-particles that share one list (FDPS: n_grp)
    std::uint32_t leaf_size = 0;   // most particles in a leaf (FDPS: n_leaf); at most group_size
    Precision precision = Precision::automatic;
    // Find group and leaf size, where neither is given, by trying some at the first step; what was found is kept for the next time in the
    // user's cache folder. The same input then gives the same bits only with the same sizes.
    bool tune_sizes = false;
    Lists lists = Lists::rebuild;
    std::uint32_t reuse_steps = 16;  // lists made at a step serve up to so many, that one included (paper: n_reuse)
    double skin = 0.1;  // reuse: by how much sizes over distances may have grown before lists are made anew
    bool trust_reuse_steps = false;                            // reuse without looking at the skin
    Send send = Send::indices;                                 // ignored without a device
    EssentialScheme essential = EssentialScheme::domain_tree;  // ignored on one rank
    bool compress = false;  // what ranks send each other of their trees: as exact as the forces, in fewer bytes
};

// Everything decided.
struct ForceChoice {
    Opening opening;
    Criterion criterion;
    double tolerance;  // relative criterion: share of the last acceleration that one cell may be wrong by
    std::uint32_t group_size;
    std::uint32_t leaf_size;
    std::uint32_t reuse_steps;  // 1: lists are made at each step
    double skin;
    bool trust_reuse_steps;
    int digits;  // of what ranks send each other, see CompressedTree; 0: as it is
};

// Throws InputError for a setting out of its range, or one that an interaction without expansions, or a device, cannot follow.
ForceChoice choose(const ForceSettings& settings, bool expandable, bool on_device);

}  // namespace trellis
