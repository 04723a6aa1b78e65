// Runs the given number of steps of 4,096 particles of a Plummer sphere at accuracy 1e-3: instructions.py counts the
// instructions of one step.
#include <cstdlib>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"

int main(int, char** arguments) {
    trellis::Simulation sim(std::make_shared<trellis::ParticleSet>(trellis::models::plummer(4096, 1)), 1e-6);
    sim.add_force(trellis::gravity(1e-3, 1, {.accuracy = 1e-3}));
    for (int step = std::atoi(arguments[1]); step > 0; --step) sim.step();
}
