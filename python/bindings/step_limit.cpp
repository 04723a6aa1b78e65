// A function of Python as a limit of time steps.
#include "trellis/forces/step_limit.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "forces.hpp"
#include "held_function.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

using Steps = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The active rows, for the time of a call.
struct ActiveColumns {
    const trellis::ParticleSet* particles;  // null: the call has ended
    const trellis::ActiveRows* rows;
    std::size_t count;

    // Copies of the values.
    template <class Value>
    nb::object values(const trellis::Column& from, const Value* whole) const {
        const std::size_t width = from.info().components;
        std::vector<Value> own;
        own.reserve(count * width);
        for (std::size_t k = 0; k < count; ++k)
            own.insert(own.end(), whole + (*rows)[k] * width, whole + ((*rows)[k] + 1) * width);
        return width == 1 ? nb::cast(array_of(std::move(own), {count}))
                          : nb::cast(array_of(std::move(own), {count, width}));
    }
    nb::object column(const std::string& name) const {
        if (particles == nullptr)
            throw trellis::InputError(
                "a column is asked for after its step has been chosen: allowed is within the "
                "function of a StepLimit");
        const trellis::Column& from = particles->column(name);
        return from.info().integer ? values(from, from.integers()) : values(from, from.values());
    }
};

class StepFunction {
  public:
    explicit StepFunction(nb::callable function) : function_(held(std::move(function))) {}

    // One call for all active rows. Errors of the function pass through as they are.
    std::vector<double> operator()(const trellis::ParticleSet& particles, double time,
                                   const trellis::ActiveRows& rows) const {
        const LockTaken locked;
        const auto active = std::make_shared<ActiveColumns>(&particles, &rows, rows.count(particles.size()));
        struct End {
            ActiveColumns& active;
            ~End() { active.particles = nullptr; }
        } const end{*active};
        const auto column = nb::cpp_function([active](const std::string& name) { return active->column(name); });
        const auto steps = nb::cast<Steps>((*function_)(column, active->count, time));
        return {steps.data(), steps.data() + steps.size()};
    }

  private:
    HeldFunction function_;
};

struct StepLimitSettings final : AnyForce {
    StepLimitSettings(nb::callable function, std::string name) : function(std::move(function)), name(std::move(name)) {}
    // The function is called on the host, wherever forces are.
    std::unique_ptr<trellis::Force> make(const trellis::Devices&) const override {
        return std::make_unique<trellis::StepLimit>(function, name);
    }

    StepFunction function;
    std::string name;
};

}  // namespace

void bind_step_limit(nb::module_& core) {
    nb::class_<StepLimitSettings, AnyForce>(core, "StepLimitFunction", "See trellis.StepLimit.")
        .def(nb::init<nb::callable, std::string>(), "function"_a, "name"_a,
             nb::sig("def __init__(self, function: collections.abc.Callable[[collections.abc.Callable[[str], "
                     "numpy.typing.NDArray[typing.Any]], int, float], numpy.typing.NDArray[numpy.float64]], "
                     "name: str) -> None"),
             "function: of a function that returns a column of the active rows by its name, their number, and the time;"
             " it returns the longest step of each. name: the subject of messages.");
}
