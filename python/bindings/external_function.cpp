// A function of Python as an external field.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "external.hpp"
#include "held_function.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/forces/components.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

using Result = trellis::Fields<trellis::Acceleration, trellis::ExternalPotential>;
using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

class FunctionField final : public trellis::ExternalField {
  public:
    explicit FunctionField(nb::callable function) : function_(held(std::move(function))) {}

    std::span<const trellis::FieldInfo> reads() const override { return reads_; }
    std::span<const trellis::FieldInfo> results() const override { return results_; }

    // One call for all rows. What the function throws passes through as it is.
    void evaluate(const trellis::FieldRows& rows, double* values) const override {
        const LockTaken locked;
        const auto x = rows.particles[trellis::fields::position].subspan(rows.first, rows.count);
        std::vector<double> positions;
        positions.reserve(3 * rows.count);
        for (const auto& place : x) {
            const auto image = rows.particles.region().wrapped(place);
            positions.insert(positions.end(), {image.x, image.y, image.z});
        }
        const auto [acceleration, potential] = nb::cast<std::pair<Values, Values>>(
            (*function_)(array_of(std::move(positions), {rows.count, 3}), rows.time));
        if (acceleration.size() != 3 * rows.count || potential.size() != rows.count)
            throw trellis::InputError("an external field has not given an acceleration and a potential of each row");
        for (std::size_t k = 0; k < rows.count; ++k) {
            std::copy_n(acceleration.data() + 3 * k, 3, values + 4 * k);
            values[4 * k + 3] = potential.data()[k];
        }
    }

  private:
    HeldFunction function_;
    std::vector<trellis::FieldInfo> reads_ = trellis::InfosOf<trellis::Fields<trellis::Position>>::all();
    std::vector<trellis::FieldInfo> results_ = trellis::InfosOf<Result>::all();
};

struct FunctionSettings final : ExternalSettings {
    explicit FunctionSettings(nb::callable function) : made(std::make_shared<FunctionField>(std::move(function))) {}
    std::shared_ptr<const trellis::ExternalField> field() const override { return made; }

    std::shared_ptr<const FunctionField> made;
};

}  // namespace

void bind_external_function(nb::module_& core) {
    nb::class_<FunctionSettings, ExternalSettings>(core, "ExternalFunction", "See trellis.External.")
        .def(nb::init<nb::callable>(), "function"_a,
             nb::sig("def __init__(self, function: collections.abc.Callable[[numpy.typing.NDArray[numpy.float64], "
                     "float], tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]]) -> "
                     "None"),
             "function: of positions and time, which returns accelerations and potentials of as many rows.");
}
