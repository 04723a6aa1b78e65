// The settings of a tree force. Zero and `automatic` values are chosen for the accuracy.
#pragma once

#include <cstdint>

#include "trellis/forces/list_checkpoint.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/lists/essential/essential_exchange.hpp"
#include "trellis/lists/walk/opening.hpp"

namespace trellis {

enum class Method {
    automatic,
    tree,   // cells act on each i-particle as superparticles (Barnes & Hut 1986, Barnes 1990, FDPS)
    fmm,    // cells act on target cells by local expansions (Greengard & Rokhlin 1987, Dehnen 2002)
    treepm  // fmm within a cutoff, a mesh beyond: gravity in a periodic box (forces/tree_mesh)
};

enum class Criterion {
    automatic,
    geometric,  // size over distance below theta
    relative    // estimated error below a share of the last acceleration (Springel 2005, eq. 18)
};

// The sources that are sent to a device.
enum class Send {
    particles,  // the particles of each list, once for each list (paper: method G1)
    indices     // all particles and cells once, and lists that name them (paper, section 4.1: G2, G3)
};

// The finest accuracy that may be asked for: sums in double precision have errors of this size.
constexpr double finest_accuracy = 1e-15;

struct ForceSettings {
    double accuracy = 1e-3;  // RMS relative force error asked for; decides the settings left at 0 below
    double theta = 0;  // opening angle, below 1 (fmm) or 2 (tree); given without criterion: the geometric criterion
    Method method = Method::automatic;
    Criterion criterion = Criterion::automatic;
    int order = 0;                 // of the expansions: 1 monopole, 2 quadrupole, ...; tree: 1 to 2, fmm: 2 to 5
    std::uint32_t group_size = 0;  // most i-particles that share one list (FDPS: n_grp); 0: 64, on GPUs 256
    std::uint32_t leaf_size = 0;   // most particles in a leaf (FDPS: n_leaf); at most group_size
    Precision precision = Precision::automatic;
    // Find group and leaf size, where neither is given, by trial at the first step; the sizes found are kept in the
    // user's cache folder. The same input then gives the same bits only with the same sizes.
    bool tune_sizes = false;
    Lists lists = Lists::rebuild;
    // Most steps that lists serve, the one at which they are made included (paper: n_reuse).
    std::uint32_t reuse_steps = 16;
    double opening_growth = 0.1;             // reuse: growth of sizes over distances beyond which lists are rebuilt
    bool trust_reuse_steps = false;          // reuse without checking opening_growth
    Send send = Send::indices;               // ignored without a device
    LetScheme let = LetScheme::domain_tree;  // ignored on one rank
    bool compress = false;  // ranks and devices are sent values rounded to what the forces need, in fewer bytes
};

// The settings with all values chosen.
struct ForceChoice {
    Opening opening;
    Criterion criterion;
    double tolerance;  // relative criterion: error allowed to one cell, over the last acceleration
    std::uint32_t group_size;
    std::uint32_t leaf_size;
    std::uint32_t reuse_steps;  // 1: lists are made at each step
    double opening_growth;
    bool trust_reuse_steps;
    Precision precision;  // double where single cannot give the accuracy, else as asked for
    int digits;  // binary digits of values sent to ranks (CompressedTree) and devices (write_rows); 0: unchanged values
};

// on_device: without method and order, superparticles of order 1 are chosen. softened: the interaction has a softening
// for each particle. Throws InputError for a setting out of its range, or one that an interaction without expansions
// cannot follow.
ForceChoice choose(const ForceSettings& settings, bool expandable, bool on_device, bool softened = false);

// Settings that choose expansions on devices as on the host, for an interaction whose kernels of them every device has.
ForceSettings with_expansions_on_devices(ForceSettings settings);

// The settings with larger groups on GPUs, if their size is not given.
ForceSettings sized_for(ForceSettings settings, bool on_gpus);

}  // namespace trellis
