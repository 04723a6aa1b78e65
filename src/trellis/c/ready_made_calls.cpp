#include "trellis/c/c_call.hpp"
#include "trellis/c/handles.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/run_time/linked_interaction.hpp"
#include "trellis/forces/sph/sph_force.hpp"

using namespace trellis;

namespace {

std::vector<std::pair<std::string, double>> numbers_of(const char* names, const double* values) {
    std::vector<std::pair<std::string, double>> numbers;
    for (const std::string& name : words_of(names, "names"))
        numbers.emplace_back(name, (&given(values, "values"))[numbers.size()]);
    return numbers;
}

void put_gas(trellis_force** force, SphSettings settings, double neighbours, double courant,
             const trellis_devices* devices) {
    if (neighbours != 0) settings.neighbours = neighbours;
    if (courant != 0) settings.courant = courant;
    settings.search.device = devices_of(devices);
    put_new(force, "force", [&] { return std::make_shared<SphForce>(settings); });
}

}  // namespace

int trellis_gravity(double softening, double accuracy, const trellis_devices* devices, trellis_force** force) {
    return carry_out_c([&] {
        put_new(force, "force", [&] { return gravity(softening, 1, {.accuracy = accuracy}, devices_of(devices)); });
    });
}

int trellis_lennard_jones(double epsilon, double sigma, double cutoff, const trellis_devices* devices,
                          trellis_force** force) {
    return carry_out_c([&] {
        put_new(force, "force", [&] {
            return lennard_jones(epsilon, sigma, cutoff, Truncation::plain, {.device = devices_of(devices)});
        });
    });
}

int trellis_gas(double gamma, double neighbours, double courant, int beside_others, const trellis_devices* devices,
                trellis_force** force) {
    return carry_out_c([&] {
        SphSettings settings;
        settings.gas = IdealGas{gamma};
        settings.conduction = beside_others != 0 ? Conduction::flow : Conduction::pressure;
        put_gas(force, settings, neighbours, courant, devices);
    });
}

int trellis_isothermal_gas(double sound_speed, double neighbours, double courant, const trellis_devices* devices,
                           trellis_force** force) {
    return carry_out_c([&] {
        SphSettings settings;
        settings.gas = IsothermalGas{sound_speed};
        put_gas(force, settings, neighbours, courant, devices);
    });
}

int trellis_interaction_force(trellis_interaction* interaction, const char* names, const double* values,
                              const trellis_devices* devices, trellis_force** force) {
    return carry_out_c([&] {
        const auto* linked = static_cast<const LinkedInteraction*>(given(interaction, "interaction")());
        put_new(force, "force", [&] { return linked_force(*linked, numbers_of(names, values), devices_of(devices)); });
    });
}
