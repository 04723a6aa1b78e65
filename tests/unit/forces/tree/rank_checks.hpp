// Requirements on forces on several ranks, as functions that all ranks call: threads in tests/unit/forces, processes in
// tests/mpi.
#pragma once

#include <span>
#include <string>

#include "trellis/forces/tree/settings.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

struct RankCase {
    const char* name;
    ForceSettings settings;
    const char* device;
    double error;  // RMS error allowed by the criterion; trees, and the errors that cancel, differ with the number of
                   // ranks
    bool softenings = false;  // of each particle, differing by a factor of 10
};

std::span<const RankCase> rank_cases();

// Integer masses add without rounding, so that a mass that is missing or acts twice is noticed.
void check_all_mass_acts_once(Comm& comm, const models::Model& model, LetScheme scheme, const std::string& device,
                              bool compress = false);

void check_forces_are_those_of_direct_summation(Comm& comm, const RankCase& of, LetScheme scheme,
                                                const models::Model& model);

// A reusing step, whose trees travel as new values alone, gives the same bits if nothing has moved, and follows if
// everything has moved a little.
void check_reuse_follows(Comm& comm, const RankCase& of, LetScheme scheme, bool trust);

}  // namespace trellis
