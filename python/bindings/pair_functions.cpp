#include "pair_functions.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "names.hpp"
#include "trellis/base/error.hpp"
#include "trellis/base/isa.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/run_time/far_field/far_graph.hpp"
#include "trellis/forces/run_time/far_field/far_launch.hpp"
#include "trellis/forces/run_time/function_names.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/linked_interaction.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/tree_mesh/kernels/charge.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::FieldInfo;
using trellis::InputError;
using trellis::RunTimePair;
using trellis::Search;

namespace {

// Name, components, unit and meaning.
using FieldTuple = std::tuple<std::string, std::size_t, std::string, std::string>;

template <class... F>
std::vector<FieldTuple> tuples_of() {
    return {{F::name, F::components, F::unit, F::meaning}...};
}

// The fields that an interaction may read or write without saying what they are.
std::vector<FieldTuple> known_fields() {
    using namespace trellis;
    return tuples_of<Position, Velocity, Mass, SofteningLength, Charge, ParticleType, SmoothingLength, Density,
                     InternalEnergy, Pressure, SoundSpeed, VelocityDivergence, VelocityCurl, Acceleration, Potential,
                     Virial>();
}

std::vector<FieldInfo> infos_of(const std::vector<FieldTuple>& fields) {
    std::vector<FieldInfo> infos;
    for (const auto& [name, components, unit, meaning] : fields) infos.push_back({name, unit, meaning, components});
    return infos;
}

constexpr Names<Search, 3> searches{
    {{"gather", Search::gather}, {"scatter", Search::scatter}, {"symmetric", Search::symmetric}}};

// The functions of a library that has been loaded, by their names.
class Addresses {
  public:
    explicit Addresses(const std::map<std::string, std::uintptr_t>& all) : all_(all) {}

    template <class Function>
    void operator()(Function*& function, const std::string& name) const {
        const auto found = all_.find(name);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): this is how a compiler in Python hands its functions over
        function = found == all_.end() ? nullptr : reinterpret_cast<Function*>(found->second);
    }

  private:
    const std::map<std::string, std::uintptr_t>& all_;
};

template <class T>
void take(T& value, const nb::kwargs& given, const char* name) {
    value = nb::cast<T>(given[name]);
}

// Throws InputError for numbers of components beyond those that kernels have room for.
void check_components(const RunTimePair& pair) {
    constexpr std::size_t most = trellis::most_run_time_components;
    const auto check = [&](std::size_t count, const char* what) {
        if (count > most)
            throw InputError(pair.name + " has " + std::to_string(count) + " components of " + what + ": allowed are " +
                             std::to_string(most));
    };
    check(pair.source_components, "fields of j");
    check(pair.target_components.size(), "fields of i");
    check(pair.outcome_components(), "results");
}

std::vector<std::byte> copied(const nb::bytes& bytes) {
    const auto all = std::as_bytes(std::span(bytes.c_str(), bytes.size()));
    return {all.begin(), all.end()};
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const trellis::OperationInfo& each : trellis::graph_operations()) names.emplace_back(each.name);
    return names;
}

std::vector<std::string> far_texts(const nb::bytes& graph, std::uint8_t order, const std::string& precision) {
    const std::uint8_t value_bytes = precision == "single" ? sizeof(float) : sizeof(double);
    std::vector<std::string> texts;
    for (const trellis::FarKernel kernel : {trellis::FarKernel::locals, trellis::FarKernel::far_field}) {
        const trellis::FarHead head{kernel, order, value_bytes, 4, 0, 3};
        texts.push_back(trellis::graph_kernel(trellis::far_bytes(head, copied(graph))).text->text);
    }
    return texts;
}

std::shared_ptr<const RunTimePair> make_pair(const nb::kwargs& given) {
    auto pair = std::make_shared<RunTimePair>();
    std::vector<FieldTuple> fields, outcome;
    std::vector<std::pair<FieldTuple, FieldTuple>> evolves;
    std::string search, radius;
    std::map<std::string, std::uintptr_t> functions;
    take(pair->name, given, "name");
    take(fields, given, "fields");
    take(pair->source_components, given, "source_components");
    take(pair->target_components, given, "target_components");
    take(pair->paired, given, "paired");
    take(pair->finishing, given, "finishing");
    take(outcome, given, "outcome");
    take(pair->summed, given, "summed");
    take(pair->raised, given, "raised");
    take(pair->sums_over_pairs, given, "sums_over_pairs");
    take(evolves, given, "evolves");
    take(pair->strength, given, "strength");
    take(search, given, "search");
    take(radius, given, "radius");
    take(pair->parameters, given, "parameters");
    take(pair->parameter_names, given, "parameter_names");
    take(pair->tabled, given, "tabled");
    take(pair->row_values, given, "row_values");
    take(pair->row_kinds.component, given, "kind_component");
    take(pair->row_kinds.kinds, given, "kinds");
    take(pair->table_end, given, "table_end");
    take(pair->kernel_name, given, "kernel_name");
    pair->graph = copied(nb::cast<nb::bytes>(given["graph"]));
    pair->far_graph = copied(nb::cast<nb::bytes>(given["far_graph"]));
    take(functions, given, "functions");
    pair->fields = infos_of(fields);
    pair->outcome = infos_of(outcome);
    for (const auto& [value, rate] : evolves)
        pair->evolves.emplace_back(infos_of({value}).front(), infos_of({rate}).front());
    pair->search = by_name("search", search, searches);
    for (const FieldInfo& field : pair->fields)
        if (field.name == radius) pair->radius = field;
    check_components(*pair);
    trellis::each_function(*pair, Addresses(functions));
    return pair;
}

}  // namespace

void bind_pair_functions(nb::module_& core) {
    nb::class_<PairFunctions>(core, "PairFunctions",
                              "Functions that were compiled at run time for an interaction, and the fields that they "
                              "read and write.\n\nThey must stay loaded.")
        .def(
            "__init__",
            [](PairFunctions* self, const nb::kwargs& given) { new (self) PairFunctions{make_pair(given)}; },
            nb::sig("def __init__(self, **given: object) -> None"));
    core.def("linked_functions", &trellis::linked_functions,
             "The names of the functions of an interaction, in the order that they have in an object file.");
    core.def("known_fields", &known_fields, "Name, components, unit and meaning of fields that interactions know.");
    core.def(
        "run_time_machine",
        [] {
            const trellis::RunTimeMachine machine = trellis::run_time_machine();
            return std::pair(std::string(trellis::isa_name(machine.isa)), machine.vector_bytes);
        },
        "The instruction set that functions of interactions are compiled for, and the bytes of its vectors.");
    core.def("graph_operations", &operation_names,
             "The operations of graphs of interactions, by the numbers that they have in the bytes of a graph.");
    core.def(
        "text_of_graph",
        [](const nb::bytes& graph, const std::string& precision) {
            return trellis::text_of_graph(copied(graph), precision == "single" ? sizeof(float) : sizeof(double));
        },
        "graph"_a, "precision"_a,
        "The kernel of a GPU that is made of the bytes of a graph, in single or double precision, as text.");
    core.def("texts_of_far_graph", &far_texts, "graph"_a, "order"_a, "precision"_a,
             "The kernels of a GPU for the far field of a potential, of acceleration and potential: local expansions, "
             "and the field, as text.");
    core.def("has_cuda_compiler", &trellis::has_cuda_compiler, "Whether texts can be compiled for GPUs of NVIDIA.");
    core.def(
        "compiled_for_cuda",
        [](const std::string& text, int major, int minor) {
            const std::string code = trellis::compiled_for_cuda(text, major, minor);
            return nb::bytes(code.data(), code.size());
        },
        "text"_a, "major"_a, "minor"_a,
        "Machine code of a kernel as text for GPUs of compute capability major.minor; none of them need be there.");
}
