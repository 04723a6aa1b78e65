// An interaction ready to be evaluated: its kernels, its parameters, and the precision asked for.
#pragma once

#include <memory>
#include <string>

#include "trellis/forces/kernels.hpp"
#include "trellis/forces/settings.hpp"
#include "trellis/lists/listed_tree.hpp"

namespace trellis {

// Whether single precision is asked for, or its range holds for particles in a root cell of this side, with this total strength.
bool single_suits(Precision precision, double side, double strength);

// Throws InputError if a column that the interaction reads is missing, not finite, or negative where it must not be.
void check_columns(const InteractionKernels& kernels, const ParticleSet& particles);

// Throws InputError for particles in a box that repeats, of whose images a tree does not know.
void check_open(const ParticleSet& particles);

// Throws InputError naming the first row where a column of one component is negative.
void check_not_negative(const ParticleSet& particles, const std::string& field);

struct CompiledInteraction {
    InteractionKernels kernels;
    std::shared_ptr<const void> parameters;  // the interaction itself
    Precision precision;

    // See single_suits.
    bool single(const ListedTree& listed) const;
};

}  // namespace trellis
