// trellis._core: the C++ library for Python. The package around it is python/trellis; its types are in _core.pyi, made
// by the build.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <string>
#include <variant>

#include "bindings.hpp"
#include "python_lock.hpp"

#include "trellis/base/error.hpp"
#include "trellis/base/isa.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/devices/hip/hip_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/integrate/rungs/step_abandoned.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/same_call.hpp"

namespace nb = nanobind;

namespace {

nb::typed<nb::dict, nb::str, nb::str> devices() {
    nb::dict all;
    all["host"] = "the threads of this process";
    for (const std::string& name : trellis::device_names()) {
        try {
            all[name.c_str()] = trellis::open_local_device(name)->description();
        } catch (const trellis::RunError& error) {
            all[name.c_str()] = error.what();
        }
    }
    return all;
}

nb::typed<nb::dict, nb::str, std::variant<std::string, int>> info() {
    nb::dict facts;
    facts["version"] = TRELLIS_VERSION;
    facts["compiler"] =
#if defined(__clang__)
        __VERSION__;
#else
        "GCC " __VERSION__;
#endif
    facts["build type"] = TRELLIS_BUILD_TYPE;
    facts["SIMD"] = trellis::isa_name(trellis::chosen_isa());
    facts["threads"] = trellis::thread_count();
    const std::string mpi = trellis::mpi_library();
    const std::string network = trellis::network_library();
    facts["network"] = network.empty() ? "built without" : network;
    const std::string amd(trellis::hip_architectures());
    facts["AMD GPUs"] = amd.empty() ? "built without" : amd;
    facts["MPI"] = mpi.empty() ? "built without" : mpi;
    facts["ranks"] = trellis::world()->size();
    return facts;
}

void set_threads(int count) {
    if (count < 1) throw trellis::InputError("threads is " + std::to_string(count) + ", but must be at least 1");
    trellis::set_thread_count(count);
}

}  // namespace

NB_MODULE(_core, core) {
    nb::set_leak_warnings(false);  // Python itself does not free all objects at its end
    nb::exception<trellis::InputError>(core, "InputError", PyExc_ValueError).doc() = "Input that cannot be used.";
    const auto run_error = nb::exception<trellis::RunError>(core, "RunError", PyExc_RuntimeError);
    run_error.doc() = "A run that failed.";
    nb::exception<trellis::StepAbandoned>(core, "StepAbandoned", run_error).doc() =
        "A step of individual steps that was abandoned: all is as it was when it began.";
    trellis::compare_end();  // Python's calls compare their names: see python/trellis/parallel/world.py
    watch_end_of_python();
    bind_particles(core);
    bind_parameters(core);
    bind_forces(core);
    bind_gravity(core);
    bind_coulomb(core);
    bind_lennard_jones(core);
    bind_run_time_pairs(core);
    bind_loop_compiler(core);
    bind_bonded(core);
    bind_sph(core);
    bind_external(core);
    bind_external_function(core);
    bind_python_force(core);
    bind_step_limit(core);
    bind_thermostats(core);
    bind_cosmology(core);
    bind_individual_steps(core);
    bind_stepper(core);
    bind_device_options(core);
    bind_simulation_options(core);
    bind_simulation(core);
    bind_resident_simulation(core);
    bind_ensemble(core);
    bind_replica_exchange(core);
    bind_diagnostics(core);
    bind_neighbours(core);
    bind_grape(core);
    bind_comm(core);
    bind_network(core);
    bind_exchange(core);
    core.def(
        "info", &info,
        "Version, compiler, build type, SIMD level in use, threads, network, kinds of AMD GPUs, MPI and ranks of this "
        "run, by name.");
    core.def("devices", &devices, "The devices of this machine by name, each with what its driver says of it.");
    core.def("set_threads", &set_threads, nb::arg("count"),
             "Use `count` threads from now on; results have the same bits for any number.");
}
