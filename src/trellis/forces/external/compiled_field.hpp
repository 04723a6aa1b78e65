// Makes a field from a one-body force that a user has written (one_body.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/external/external_field.hpp"
#include "trellis/forces/external/field_grid.hpp"
#include "trellis/forces/external/one_body_check.hpp"
#include "trellis/forces/reference.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class F>
class CompiledField final : public ExternalField {
  public:
    // Throws InputError if the formula's check does.
    explicit CompiledField(const F& formula) : formula_(formula) {
        if constexpr (requires { formula.check(); }) formula.check();
        if constexpr (suits_device<F>) register_for_cpu_as<FieldGrid<F>>(field_kernel<F>());
    }

    std::span<const FieldInfo> reads() const override { return reads_; }
    std::span<const FieldInfo> results() const override { return results_; }

    void evaluate(const FieldRows& rows, double* values) const override {
        const F formula = at_time(formula_, rows.time);
        const RowReader<typename F::Target> particle(rows.particles);
        std::optional<PredictedColumn> velocity;
        if constexpr (is_listed<Velocity, typename F::Target>)
            velocity.emplace(rows.particles, predicted_velocity(rows.since_kick));
        parallel_for(rows.count, [&](std::size_t k) {
            auto i = particle(rows.first + k);
            i[fields::position] = rows.particles.region().wrapped(i[fields::position]);
            if constexpr (is_listed<Velocity, typename F::Target>)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    i[fields::velocity][axis] = (*velocity)(i[fields::velocity][axis], rows.first + k, axis);
            Record<typename F::Result, double> sum{};
            formula(i, sum);
            sum.each_component([&](double value, std::size_t c) { values[k * F::Result::components + c] = value; });
        });
    }

    std::string kernel() const override { return suits_device<F> ? field_kernel<F>() : std::string(); }

    void launch(Queue& queue, double time, bool first, std::size_t count, const DeviceMemory& positions,
                const DeviceMemory& accelerations, const DeviceMemory& external_accelerations,
                const DeviceMemory& potentials) const override {
        if constexpr (suits_device<F>)
            launch_grid_as(queue, field_kernel<F>(), FieldGrid<F>{at_time(formula_, time), first}, count, positions,
                           accelerations, external_accelerations, potentials);
    }

  private:
    F formula_;
    std::vector<FieldInfo> reads_ = InfosOf<typename F::Target>::all();
    std::vector<FieldInfo> results_ = InfosOf<typename F::Result>::all();
};

// The field of a one-body force.
template <class F>
std::shared_ptr<const ExternalField> external_field(const F& formula) {
    if constexpr (!check_one_body<F>())
        return nullptr;
    else
        return std::make_shared<CompiledField<F>>(formula);
}

TRELLIS_ISA_END
}  // namespace trellis
