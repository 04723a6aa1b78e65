// The force kernels alone, as shares of the core's measured peak.
#include <algorithm>
#include <functional>

#include "kernel/hand_made_scene.hpp"
#include "kernel/operations.hpp"
#include "kernel/peak.hpp"
#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"

namespace {

using namespace bench;
using trellis::Isa;
using trellis::Receiver;

struct Kernel {
    std::string name;
    int operations;                // operations of one interaction; 0: not counted
    std::function<double()> work;  // does some work and returns the number of interactions
    std::vector<double> rates;     // interactions a second, sample by sample
};

struct Level {
    Isa isa;
    trellis::InteractionKernels (*kernels)();
};

// The wanted instruction sets that this machine can run, the highest first.
std::vector<Level> levels(const std::vector<std::string>& wanted) {
#if defined(TRELLIS_ONLY_ISA)
    const std::vector<Level> known = {{trellis::chosen_isa(), &trellis::TRELLIS_ONLY_ISA::gravity_kernels}};
#else
    const std::vector<Level> known = {{Isa::v4, &trellis::v4::gravity_kernels},
                                      {Isa::v3, &trellis::v3::gravity_kernels},
                                      {Isa::v2, &trellis::v2::gravity_kernels}};
#endif
    std::vector<Level> chosen;
    for (const Level& level : known)
        if (level.isa <= trellis::chosen_isa() &&
            std::ranges::find(wanted, std::string(isa_name(level.isa)).substr(0, 2)) != wanted.end())
            chosen.push_back(level);
    return chosen;
}

// The interactions of one evaluation of the scene: those of its list, without the pairs within the group.
Kernel scene_kernel(std::string name, int operations, const std::shared_ptr<HandMadeScene>& scene,
                    double interactions) {
    const trellis::Gravity gravity{{softening * softening}, 1};
    return {std::move(name), operations, [=] { return scene->evaluate(gravity), interactions; }, {}};
}

std::vector<Kernel> kernels_of(const trellis::ForceKernels& kernels, const std::vector<std::uint32_t>& group_sizes) {
    std::vector<Kernel> all;
    const auto add = [&](const std::string& name, int operations, Receiver receiver, int order, Sources sources,
                         std::uint32_t group_size, std::uint32_t leaf_size, std::uint32_t leaves, std::size_t length) {
        const auto scene =
            std::make_shared<HandMadeScene>(kernels, receiver, order, sources, group_size, leaf_size, leaves, length);
        const double each = receiver == Receiver::cell && sources == Sources::superparticles ? 1 : group_size;
        all.push_back(
            scene_kernel(name, operations, scene,
                         each * static_cast<double>(length) * (sources == Sources::particles ? leaf_size : 1)));
    };
    for (const std::uint32_t size : group_sizes) {
        const std::string group = ", group of " + std::to_string(size);
        add("monopole, whole chunks" + group, monopole_operations(), Receiver::particle, 1, Sources::particles, size,
            1024, 1, 16);
        add("monopole, leaves of 16" + group, monopole_operations(), Receiver::particle, 1, Sources::particles, size,
            16, 64, 1024);
        add("monopole, far cells" + group, monopole_operations(), Receiver::particle, 1, Sources::superparticles, size,
            16, 64, 16384);
        add("quadrupole, far cells" + group, quadrupole_operations(), Receiver::particle, 2, Sources::superparticles,
            size, 16, 64, 4096);
    }
    for (int order = 2; order <= trellis::highest_order; ++order) {
        const std::string of_order = ", order " + std::to_string(order);
        add("M2L" + of_order, 0, Receiver::cell, order, Sources::superparticles, 16, 16, 64, 4096);
        add("M2P" + of_order, 0, Receiver::cell, order, Sources::multipoles, 64, 16, 64, 4096);
    }
    return all;
}

// Takes one sample of each kernel in turn, so that all share the disturbances of the machine.
void measure(std::vector<Kernel>& kernels, std::size_t samples) {
    constexpr double sample_seconds = 2e-3;
    for (Kernel& kernel : kernels) kernel.work();
    for (std::size_t sample = 0; sample < samples; ++sample)
        for (Kernel& kernel : kernels) {
            double done = 0, time = 0;
            while (time < sample_seconds) time += seconds([&] { done += kernel.work(); });
            kernel.rates.push_back(done / time);
        }
}

// The best sample is the rate of an undisturbed core; the median is lower by the disturbances of the run.
void print(const Table& table, Isa isa, const std::vector<Kernel>& kernels) {
    const double peak = spread(kernels.front().rates).high * kernels.front().operations;
    for (const Kernel& kernel : kernels) {
        const Spread rate = spread(kernel.rates);
        const bool counted = kernel.operations > 0;
        table.row({kernel.name, std::string(isa_name(isa)).substr(0, 2), text("%.3f", rate.high / 1e9),
                   text("%.3f", rate.median / 1e9), text("%.3f", 1e9 / rate.high),
                   counted ? text("%d", kernel.operations) : "",
                   counted ? text("%.1f", rate.high * kernel.operations / 1e9) : "",
                   counted ? text("%.1f", 100 * rate.high * kernel.operations / peak) : ""});
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {
        {"simd", "v4,v3", "levels to measure, up to that of this machine: v4, v3, v2, native"},
        {"groups", "64,256", "i-particles in a group"},
        {"samples", "100", "samples of 2 ms for each kernel"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Force kernels",
                     "One core, single precision, lists that stay in the cache, each kernel as the library has it: "
                     "with the copying "
                     "of j-particles, the group's own pairs (not counted) and the write-back. The share is of the peak "
                     "measured with "
                     "the same instruction set, both at their best sample.");
        const Table table({"kernel", "SIMD", "G/s", "median", "ns", "operations", "Gflop/s", "share of peak, %"});
        for (const Level& level : levels(given.texts("simd"))) {
            std::vector<Kernel> kernels = {
                {"peak: multiply-add", 2, [&] { return multiply_add(level.isa, 4096) / 2; }, {}}};
            for (Kernel& kernel : kernels_of(level.kernels().single_precision, given.integers<std::uint32_t>("groups")))
                kernels.push_back(std::move(kernel));
            measure(kernels, given.integer("samples"));
            print(table, level.isa, kernels);
        }
    });
}
