// Steps that are too long for any integrator (step_rule.hpp), and the sentence that says so.
#pragma once

#include <cstddef>
#include <string>

#include "trellis/integrate/step_rule.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The particle for which a step is too long, as an error names it.
struct TooLongStep {
    double begin, length;  // the time at the beginning of the step, and its length
    double range;          // the distance beyond which pairs do not interact, or infinite
    std::size_t row;       // of the particle
};

// One sentence: the particle by its id, the time, its nearest neighbour, and what helps.
std::string sentence_of(const TooLongStep& step, const ParticleSet& particles);

// Throws RunError, with that sentence, if a step of this length is too long for a particle of this rank with its
// present acceleration.
void check_step(const ParticleSet& particles, double begin, double length, double range);

}  // namespace trellis
