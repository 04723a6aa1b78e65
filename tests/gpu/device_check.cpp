// Checks a device: trellis_device_check [DEVICE [--small|--smallest]]. DEVICE: cuda:0 if not given. The smallest checks
// are for tools that make a kernel some hundred times slower. The exit code is 1 if a check fails, and 77 if there is
// no device of OpenCL, unless the full check runs (CI is set), which has one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "checks.hpp"
#include "field_checks.hpp"
#include "force_checks.hpp"
#include "grape_checks.hpp"
#include "kernels_ran_checks.hpp"
#include "order_checks.hpp"
#include "pair_checks.hpp"
#include "python_expansion_checks.hpp"
#include "queue_checks.hpp"
#include "resident_checks.hpp"
#include "short_range_checks.hpp"
#include "system_checks.hpp"
#include "tree_mesh_checks.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "cuda:0";
    const std::string size = argc > 2 ? argv[2] : "";
    const bool smallest = size == "--smallest", small = smallest || size == "--small";
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // whoever ends it early sees what it had checked
    const std::vector<std::string> known = trellis::device_names();
    const bool by_clang = name.starts_with("opencl:") || name.starts_with("hip:");  // compiles its kernels
    if (by_clang && std::ranges::find(known, name) == known.end() && std::getenv("CI") == nullptr) {
        std::puts("skipped: no OpenCL device");
        return 77;
    }
    try {
        Checks checks;
        const auto device = trellis::open_device(name);
        std::printf("%s: %s\n", name.c_str(), device->description().c_str());
        trellis::gravity(0, 1, {}, trellis::open_device("cpu"));  // registers the kernels of pairs
        check_queues(checks, name);
        check_pairs(checks, device, small);
        check_order(checks, device, smallest ? 100'000 : 10'000'000, small);
        check_forces(checks, name, small);
        check_python_expansions(checks, name, small);
        check_tree_mesh(checks, name, small);
        check_short_range(checks, name, small);
        check_fields(checks, device);
        check_resident(checks, device, small);
        check_systems(checks, name, small);
        check_grape(checks, device, small);
        if (by_clang) check_kernels_ran(checks);
        std::printf("%s: %d checks failed\n", name.c_str(), checks.failures());
        return checks.failures() > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
