// Forces by interactions that are compiled at run time, in Python: see python/trellis/interactions.
#include "run_time_pairs.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "excluded_pairs.hpp"
#include "pair_functions.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/ensembles/run_time_kernel.hpp"
#include "trellis/forces/run_time/linked_interaction.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::InputError;
using trellis::ShortRangeSettings;

namespace {

template <class Force>
nb::bytes described(const Force& force) {
    const std::vector<std::byte> bytes = force.description();
    return nb::bytes(bytes.data(), bytes.size());
}

constexpr const char* about_description = "What an object file holds of the force beside its functions.";

template <class Settings>
bool set_functions(Settings& settings, const char*, nb::handle value) {
    PairFunctions functions;
    if (!nb::try_cast(value, functions)) return false;
    settings.functions = functions;
    return true;
}

template <class Settings>
nb::object get_functions(const Settings& settings) {
    return settings.functions.pair == nullptr ? nb::none() : nb::cast(settings.functions);
}

template <class Settings>
constexpr Parameter<Settings> functions_parameter{.name = "functions",
                                                  .value = {.type = [] { return std::string("PairFunctions"); },
                                                            .set = &set_functions<Settings>,
                                                            .get = &get_functions<Settings>,
                                                            .highest = {}},
                                                  .meaning = "the functions of the interaction",
                                                  .required = true};

struct RunTimeForce : AnyForce {
    // cutoff: infinite without one.
    SystemsForce among_systems_within(double cutoff) const {
        using namespace trellis;
        return systems_force(TRELLIS_VARIANT(systems_at_run_time)(functions.pair),
                             RunTimeSystem{functions.pair.get(), cutoff});
    }
    PairFunctions functions;
};

struct TreePairs final : RunTimeForce {
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        return trellis::run_time_tree_force(functions.pair, force, devices);
    }
    SystemsForce among_systems() const override {
        return among_systems_within(std::numeric_limits<double>::infinity());
    }
    std::vector<std::byte> description() const { return trellis::description_of(*functions.pair, force); }
    trellis::ForceSettings force;
};

constexpr Names<trellis::Method, 2> methods{{{"tree", trellis::Method::tree}, {"fmm", trellis::Method::fmm}}};

constexpr Parameter<TreePairs> tree_parameters[] = {
    functions_parameter<TreePairs>,
    {.name = "accuracy",
     .value = open_number<TreePairs, &TreePairs::force, &trellis::ForceSettings::accuracy>,
     .meaning = "of a pair potential: wanted root-mean-square relative error of the accelerations; it chooses whatever"
                " of the following is not given",
     .limits = {.at_least = trellis::finest_accuracy, .below = 1}},
    {.name = "theta",
     .value = open_number<TreePairs, &TreePairs::force, &trellis::ForceSettings::theta>,
     .meaning =
         "opening angle: a cell of size s at distance d may act as a whole if s / d < theta, which is below 1 with fmm"
         " and below 2 with tree; if not given, 0.5, and of a pair potential by its accuracy",
     .unit = "radians",
     .limits = {.above = 0},
     .source = "Barnes & Hut 1986"},
    {.name = "method",
     .value = choice<TreePairs, methods, &TreePairs::force, &trellis::ForceSettings::method>,
     .meaning = "sums over particles and cells (tree), or between cells as well (fmm, for pair potentials alone); if"
                " not given, fmm where it is possible"},
    {.name = "order",
     .value = open_number<TreePairs, &TreePairs::force, &trellis::ForceSettings::order>,
     .meaning = "of a pair potential: order of the multipole expansion, 1 or 2 with tree, 2 to 5 with fmm",
     .limits = {.at_least = 1}},
    group_size_parameter<TreePairs, &TreePairs::force>,
    leaf_size_parameter<TreePairs, &TreePairs::force>,
    precision_parameter<TreePairs, &TreePairs::force, &trellis::ForceSettings::precision>,
    tune_sizes_parameter<TreePairs, &TreePairs::force>,
    tree_lists_parameter<TreePairs, &TreePairs::force>,
    reuse_steps_parameter<TreePairs, &TreePairs::force, &trellis::ForceSettings::reuse_steps>,
    opening_growth_parameter<TreePairs, &TreePairs::force>,
    trust_reuse_steps_parameter<TreePairs, &TreePairs::force>,
    compress_parameter<TreePairs, &TreePairs::force>,
    let_parameter<TreePairs, &TreePairs::force>,
    device_parameter<TreePairs>,
};

struct NeighbourPairs final : RunTimeForce {
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        ShortRangeSettings there = with_skin();
        there.device = devices;
        return trellis::run_time_short_range_force(functions.pair, cutoff, there);
    }
    std::vector<std::byte> description() const { return trellis::description_of(*functions.pair, cutoff, with_skin()); }
    ShortRangeSettings with_skin() const {
        ShortRangeSettings settings = search;
        if (skin) settings.skin_ratio = ratio_of_skin();
        return settings;
    }
    SystemsForce among_systems() const override {
        SystemsForce made = among_systems_within(cutoff);
        made.excluded = search.exclude;
        return made;
    }
    double ratio_of_skin() const {
        if (functions.pair->radius)
            throw InputError("skin is given, but search radii differ: allowed with a cutoff alone");
        if (*skin > cutoff)
            throw InputError("skin is " + trellis::to_text(*skin) + ": allowed is 0 to the cutoff, " +
                             trellis::to_text(cutoff));
        return *skin / cutoff;
    }
    double cutoff = 0;
    std::optional<double> skin;
    ShortRangeSettings search;
};

constexpr Parameter<NeighbourPairs> neighbour_parameters[] = {
    functions_parameter<NeighbourPairs>,
    {.name = "cutoff",
     .value = open_number<NeighbourPairs, &NeighbourPairs::cutoff>,
     .meaning = "distance beyond which particles do not act on each other, unless each has a search radius",
     .unit = "length",
     .limits = {.above = 0}},
    exclude_parameter<NeighbourPairs, &NeighbourPairs::search, &ShortRangeSettings::exclude>,
    neighbour_lists_parameter<NeighbourPairs, &NeighbourPairs::search, &ShortRangeSettings::lists>,
    reuse_steps_parameter<NeighbourPairs, &NeighbourPairs::search, &ShortRangeSettings::reuse_steps>,
    {.name = "skin",
     .value = member<NeighbourPairs, &NeighbourPairs::skin>,
     .meaning = "reuse: how far lists go beyond the cutoff, at most the cutoff; if not given, 0.3 of it, as"
                " lists are pruned between constructions, or 0.15 of search radii that differ",
     .unit = "length",
     .limits = {.at_least = 0}},
    precision_parameter<NeighbourPairs, &NeighbourPairs::search, &ShortRangeSettings::precision>,
    device_parameter<NeighbourPairs>,
};

}  // namespace

void check_spares(const AnyForce& force, const DeviceOptions& options) {
    const auto* pairs = dynamic_cast<const RunTimeForce*>(&force);
    const std::vector<std::string>& used = force.device.empty() ? options.device : force.device;
    if (pairs == nullptr || used == std::vector<std::string>{"host"}) return;
    for (const std::string& spare : options.spares)
        if (spare != "host" && !trellis::names_graph_device(spare))
            throw InputError("spares has " + spare + ", but the interaction " + pairs->functions.pair->name +
                             " is compiled at run time, which device " + spare +
                             " cannot: allowed are host, cpu, and GPUs (cuda:0, hip:0, opencl:0), also of servers");
}

void bind_run_time_pairs(nb::module_& core) {
    bind_pair_functions(core);
    bind_settings<TreePairs, AnyForce>(core, "TreePairs", "A force of long range by an interaction in Python.",
                                       tree_parameters)
        .def("description", &described<TreePairs>, about_description);
    bind_settings<NeighbourPairs, AnyForce>(core, "NeighbourPairs",
                                            "A force of short range by an interaction in Python.", neighbour_parameters)
        .def("description", &described<NeighbourPairs>, about_description);
}
