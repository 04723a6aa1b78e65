// The parts of the Python module trellis._core.
#pragma once

#include <nanobind/nanobind.h>

void bind_particles(nanobind::module_& core);
void bind_parameters(nanobind::module_& core);
void bind_forces(nanobind::module_& core);               // after bind_parameters
void bind_gravity(nanobind::module_& core);              // after bind_forces
void bind_coulomb(nanobind::module_& core);              // after bind_forces
void bind_lennard_jones(nanobind::module_& core);        // after bind_forces
void bind_run_time_pairs(nanobind::module_& core);       // after bind_forces
void bind_bonded(nanobind::module_& core);               // after bind_forces
void bind_sph(nanobind::module_& core);                  // after bind_forces
void bind_external(nanobind::module_& core);             // after bind_forces
void bind_external_function(nanobind::module_& core);    // after bind_external
void bind_python_force(nanobind::module_& core);         // after bind_forces
void bind_step_limit(nanobind::module_& core);           // after bind_forces
void bind_thermostats(nanobind::module_& core);          // after bind_forces
void bind_cosmology(nanobind::module_& core);            // after bind_parameters
void bind_individual_steps(nanobind::module_& core);     // after bind_parameters
void bind_stepper(nanobind::module_& core);              // after bind_particles
void bind_device_options(nanobind::module_& core);       // after bind_parameters
void bind_simulation_options(nanobind::module_& core);   // after bind_device_options, bind_thermostats, bind_cosmology
void bind_simulation(nanobind::module_& core);           // after bind_simulation_options, bind_stepper
void bind_diagnostics(nanobind::module_& core);          // after bind_forces
void bind_resident_simulation(nanobind::module_& core);  // after bind_simulation_options, bind_stepper
void bind_ensemble(nanobind::module_& core);             // after bind_device_options, bind_thermostats
void bind_replica_exchange(nanobind::module_& core);     // after bind_ensemble
void bind_loop_compiler(nanobind::module_& core);
void bind_neighbours(nanobind::module_& core);
void bind_grape(nanobind::module_& core);
void bind_comm(nanobind::module_& core);
void bind_network(nanobind::module_& core);
void bind_exchange(nanobind::module_& core);
