// Kinds of Lennard-Jones atoms, and the parameters of each pair of kinds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trellis/forces/molecules/truncation.hpp"

namespace trellis {

struct AtomKind {
    std::string name;
    double epsilon = 1, sigma = 1;  // between two atoms of this kind
};

// The parameters of a pair of unlike kinds: epsilon is the geometric mean; sigma the arithmetic mean
// (lorentz_berthelot; Lorentz 1881, Berthelot 1898) or the geometric mean.
enum class MixingRule : std::uint8_t { lorentz_berthelot, geometric };

// A pair of kinds that does not follow the rule.
struct KindPair {
    std::string one, other;
    double epsilon = 1, sigma = 1;
};

struct Mixture {
    std::vector<AtomKind> kinds;  // kind 0, 1, ...
    MixingRule rule = MixingRule::lorentz_berthelot;
    std::vector<KindPair> pairs;
    double cutoff = 2.5;
    bool cutoff_in_sigma = false;  // the cutoff of each pair of kinds is in units of its sigma; else it is a length
    Truncation truncation = Truncation::plain;
    double switch_ratio = default_switch_ratio;
};

struct PairParameters {
    double epsilon = 0, sigma = 0, cutoff = 0;
};

// The parameters of each pair of kinds a and b, at a * kinds + b. Throws InputError in one sentence for a mixture that
// cannot be used: no kinds or more than most_kinds, a name that is empty, unknown or given twice, an epsilon below 0, a
// sigma or cutoff not above 0, a pair with two different sets of parameters.
std::vector<PairParameters> parameters_of_pairs(const Mixture& mixture);

}  // namespace trellis
