// What forces on several ranks have to fulfil, as functions that all ranks call: threads in tests/unit/forces, processes in tests/mpi.
#pragma once

#include <array>
#include <string>

#include "trellis/forces/settings.hpp"
#include "trellis/ranks/comm.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

struct RankCase {
    const char* name;
    ForceSettings settings;
    const char* device;
    double
        error;  // allowed by the criterion, root mean square; the trees of other numbers of ranks differ, and which errors cancel
};

const std::array<RankCase, 8>& rank_cases();

// Whole masses add without rounding, so that one that is missing or acts twice shows.
void check_all_mass_acts_once(Comm& comm, const models::Model& model, EssentialScheme scheme, const std::string& device,
                              bool compress = false);

void check_forces_are_those_of_direct_summation(Comm& comm, const RankCase& of, EssentialScheme scheme,
                                                const models::Model& model);

// Nothing has moved: a reusing step, whose trees travel as new values alone, gives the same bits. Everything has moved a little: it follows.
void check_reuse_follows(Comm& comm, const RankCase& of, EssentialScheme scheme, bool trust);

}  // namespace trellis
