// The compiler of graphs for the processor: a function of Python (trellis.interactions.received).
#include "trellis/forces/run_time/loops/loop_compiler.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bindings.hpp"
#include "held_function.hpp"

namespace nb = nanobind;

namespace {

// Python's lock is taken to compile, not for a pair. Without loops, graphs are evaluated node by node.
trellis::LoopAddresses compiled_by(const nb::callable& function, std::span<const std::byte> graph,
                                   std::size_t value_bytes) {
    const LockTaken locked;
    try {
        const nb::object made = function(nb::bytes(graph.data(), graph.size()), 8 * value_bytes);
        if (made.is_none()) return {};
        const auto [add_pairs, add_own] = nb::cast<std::pair<std::uintptr_t, std::uintptr_t>>(made);
        return {add_pairs, add_own};
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("the compiler of graphs");
        return {};
    }
}

void compile_graphs_with(std::optional<nb::callable> function) {
    if (!function) return trellis::provide_loop_compiler({});
    trellis::provide_loop_compiler(
        [function = held(std::move(*function))](std::span<const std::byte> graph, std::size_t value_bytes) {
            return compiled_by(*function, graph, value_bytes);
        });
}

}  // namespace

void bind_loop_compiler(nb::module_& core) {
    core.def("compile_graphs_with", &compile_graphs_with, nb::arg("function").none(),
             nb::sig("def compile_graphs_with(function: collections.abc.Callable[[bytes, int], tuple[int, int] | None]"
                     " | None) -> None"),
             "Choose what compiles graphs for the device cpu: function(graph, bits) returns the addresses of two loops,"
             " or None. Without it, or where it returns None, graphs are evaluated node by node.");
}
