#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "trellis/c/c_call.hpp"
#include "trellis/c/c_interaction.hpp"
#include "trellis/c/handles.hpp"
#include "trellis/forces/gravity/encounters/encounter_limit.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/tidal_limit.hpp"
#include "trellis/forces/step_limit.hpp"

using namespace trellis;

namespace {

// A program's limit, which reads columns of the particles that begin a step.
class LimitInC {
  public:
    LimitInC(std::vector<FieldInfo> columns, trellis_limit* limit, void* of_user)
        : columns_(std::move(columns)), limit_(limit), of_user_(of_user) {}

    std::vector<double> operator()(const ParticleSet& particles, double time, const ActiveRows& rows) const {
        const std::size_t count = rows.count(particles.size());
        std::vector<double> values, steps(count, std::numeric_limits<double>::infinity());
        for (const FieldInfo& field : columns_) append(particles.column(field.name), rows, count, values);
        limit_(of_user_, time, count, count, values.data(), steps.data());
        return steps;
    }

  private:
    static void append(const Column& column, const ActiveRows& rows, std::size_t count, std::vector<double>& to) {
        const std::size_t components = column.info().components;
        for (std::size_t c = 0; c < components; ++c)
            for (std::size_t k = 0; k < count; ++k) to.push_back(column.values()[rows[k] * components + c]);
    }

    std::vector<FieldInfo> columns_;
    trellis_limit* limit_;
    void* of_user_;
};

}  // namespace

int trellis_set_individual_steps(trellis_simulation* simulation, double eta, int order) {
    return carry_out_c([&] {
        check_at_least("order", order, 2);
        given(simulation, "simulation").simulation.set_individual_steps(eta, static_cast<unsigned>(order));
    });
}

int trellis_step_limit(const trellis_particles* particles, const char* fields, trellis_limit* limit, void* of_user,
                       trellis_force** force) {
    return carry_out_c([&] {
        given(limit, "limit");
        const ParticleSet& set = *given(particles, "particles").set;
        LimitInC with_columns(columns_named(set, "fields", words_of(fields, "fields")), limit, of_user);
        put_new(force, "force", [&] { return std::make_shared<StepLimit>(std::move(with_columns), "limit"); });
    });
}

int trellis_encounter_limit(double softening, double eta, trellis_force** force) {
    return carry_out_c([&] {
        checked_gravity(softening, 1);
        put_new(force, "force",
                [&] { return std::make_shared<EncounterLimit>(ComovingSoftening{softening}, 1, eta, Space::at_rest); });
    });
}

int trellis_tidal_limit(double softening, const trellis_devices* devices, trellis_force** force) {
    return carry_out_c([&] {
        checked_gravity(softening, 1);
        put_new(force, "force", [&] { return tidal_limit(ComovingSoftening{softening}, 1, devices_of(devices)); });
    });
}
