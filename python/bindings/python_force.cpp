// A force that a function of Python computes from the columns of all particles: see python/trellis/forces.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
#include "trellis/base/parallel.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/particles/motion.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

using trellis::FieldInfo;
using trellis::ParticleSet;
using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

struct Function {
    HeldFunction call;
    std::string name;                // for messages
    std::vector<std::string> needs;  // columns
    std::vector<FieldInfo> results;
    bool of_each;  // the result of a row depends on that row alone
};

// Arrays that a function has returned, one for each result: released with Python's lock.
using Returned = std::shared_ptr<const std::vector<Values>>;

class FunctionForce final : public trellis::Force {
  public:
    explicit FunctionForce(std::shared_ptr<const Function> function) : function_(std::move(function)) {}

    void attach(ParticleSet& particles, std::size_t) override {
        for (const FieldInfo& field : results())
            if (!particles.has(field.name)) particles.add(field);
    }

    // Errors of the function pass through as they are.
    void dispatch(ParticleSet& particles, const trellis::ForceStep& step, trellis::Phases& phases) override {
        const trellis::PhaseTimer timer(phases, trellis::Phase::force_kernel);
        check_ranks(step.ranks == nullptr ? 1 : step.ranks->comm->size());
        returned_ = called(particles, step.time, step.since_kick);
    }
    trellis::Work retrieve(ParticleSet& particles, trellis::Phases& phases) override {
        const trellis::PhaseTimer timer(phases, trellis::Phase::force_kernel);
        for (std::size_t k = 0; k < results().size(); ++k) {
            trellis::Column& column = particles.column(results()[k].name);
            const double* more = (*returned_)[k].data();
            trellis::parallel_for(column.size() * column.info().components,
                                  [&](std::size_t c) { column.values()[c] += more[c]; });
        }
        returned_.reset();
        trellis::Work work;
        work.cost = cost_of_a_particle * static_cast<double>(particles.size());
        return work;
    }
    bool may_fail_after_writing() const override { return false; }
    bool sums_over_pairs() const override { return function_->of_each && !reads_column(trellis::Velocity::name); }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return function_->needs; }
    std::span<const FieldInfo> results() const override { return function_->results; }

    void prepare_reference(const ParticleSet& particles, double time, trellis::Comm&) override {
        all_ = called(particles, time, 0);
    }
    // The values that the function returns for all rows: there is no other way to compute them.
    void reference(const ParticleSet&, const ParticleSet&, std::uint32_t, std::int64_t self, double,
                   double* values) const override {
        for (std::size_t k = 0; k < results().size(); ++k) {
            const std::size_t components = results()[k].components;
            for (std::size_t c = 0; c < components; ++c, ++values)
                *values = self < 0 ? 0 : (*all_)[k].data()[static_cast<std::size_t>(self) * components + c];
        }
    }

  private:
    static constexpr double cost_of_a_particle = 100;  // in pairs, about

    bool reads_column(const char* name) const {
        return std::ranges::find(function_->needs, name) != function_->needs.end();
    }

    void check_ranks(int ranks) const {
        if (ranks == 1 || function_->of_each) return;
        throw trellis::InputError(
            function_->name + " computes from the columns of all particles, but " + std::to_string(ranks) +
            " ranks have them: allowed are one rank, or a function of each particle alone (of_each=True)");
    }

    // One call for all rows. The arrays that it is given are the columns themselves, but for velocities that lag the
    // positions, and cannot be written to.
    Returned called(const ParticleSet& particles, double time, double since_kick) const {
        const LockTaken locked;
        const bool lag = since_kick != 0 && particles.has(trellis::Acceleration::name);
        nb::list columns;
        for (const std::string& name : function_->needs)
            columns.append(lag && name == trellis::Velocity::name ? predicted_velocities(particles, since_kick)
                                                                  : read_only(particles.column(name)));
        const auto& [low, high] = particles.region();
        const nb::object box = nb::cast(array_of(std::vector{low.x, low.y, low.z, high.x, high.y, high.z}, {2, 3}));
        const nb::object given = (*function_->call)(columns, time, box, read_only(particles.column(trellis::Id::name)));
        auto* const values = new std::vector<Values>(nb::cast<std::vector<Values>>(given));
        return {values, [](const std::vector<Values>* kept) {
                    const LockTaken again;
                    delete kept;
                }};
    }

    static nb::object read_only(const trellis::Column& column) { return view_of<nb::ro>(column, column.data()); }

    // Velocities at the time of the positions: see ForceStep::since_kick.
    static nb::object predicted_velocities(const ParticleSet& particles, double since_kick) {
        const trellis::PredictedColumn ahead(particles, trellis::predicted_velocity(since_kick));
        const auto velocities = particles[trellis::fields::velocity];
        std::vector<trellis::Vec3<double>> predicted(velocities.begin(), velocities.end());
        trellis::parallel_for(predicted.size(), [&](std::size_t row) {
            for (std::size_t axis = 0; axis < 3; ++axis) predicted[row][axis] = ahead(predicted[row][axis], row, axis);
        });
        return nb::cast(numbers_of<const double>(std::move(predicted), {particles.size(), 3}));
    }

    std::shared_ptr<const Function> function_;
    Returned returned_;  // between dispatch and retrieve
    Returned all_;       // for reference
};

FieldInfo result_of(const std::string& name) {
    using namespace trellis;
    for (const FieldInfo& field : InfosOf<Fields<Acceleration, Potential, Virial>>::all())
        if (field.name == name) return field;
    throw InputError("'" + name + "' is no result of a force of Python: allowed are acceleration, potential, virial");
}

struct FunctionForceSettings final : AnyForce {
    FunctionForceSettings(nb::callable call, std::string name, std::vector<std::string> needs,
                          const std::vector<std::string>& gives, bool of_each) {
        auto made = std::make_shared<Function>();
        *made = {held(std::move(call)), std::move(name), std::move(needs), {}, of_each};
        for (const std::string& each : gives) made->results.push_back(result_of(each));
        function = std::move(made);
    }
    // The function is called on the host, wherever other forces are.
    std::unique_ptr<trellis::Force> make(const trellis::Devices&) const override {
        return std::make_unique<FunctionForce>(function);
    }

    std::shared_ptr<const Function> function;
};

}  // namespace

void bind_python_force(nb::module_& core) {
    nb::class_<FunctionForceSettings, AnyForce>(core, "FunctionForce", "See trellis.PythonForce.")
        .def(nb::init<nb::callable, std::string, std::vector<std::string>, const std::vector<std::string>&, bool>(),
             "function"_a, "name"_a, "needs"_a, "gives"_a, "of_each"_a,
             nb::sig("def __init__(self, function: collections.abc.Callable[[list[numpy.typing.NDArray[typing.Any]], "
                     "float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint64]], "
                     "list[numpy.typing.NDArray[numpy.float64]]], name: str, needs: collections.abc.Sequence[str], "
                     "gives: collections.abc.Sequence[str], of_each: bool) -> None"),
             "function: of columns, time, low and high faces of space, and ids, which returns an array for each of\n"
             "`gives`; of_each: the results of a row depend on that row alone.");
}
