#include "trellis/ensembles/system_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/own_motion.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/particles/nearest_images.hpp"

namespace trellis {

using namespace fields;

namespace {

std::size_t slots_for(std::size_t particles) { return (particles + system_slots - 1) / system_slots * system_slots; }

void check(bool right, std::size_t system, const std::string& sentence) {
    if (!right) throw InputError("system " + std::to_string(system) + ": " + sentence);
}

void check_barostat(const SystemSettings& given, std::size_t k) {
    const std::string problem = problem_of(given.barostat);
    check(problem.empty(), k, problem);
    check(given.bath != Bath::none && given.bath != Bath::quench, k,
          "it has a barostat and no thermostat: a pressure is held at a temperature");
}

void check_settings(const SystemSettings& given, std::size_t k) {
    const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
    check(positive(given.timestep), k, "timestep is " + to_text(given.timestep) + ": allowed is above 0");
    check(given.temperature >= 0 && std::isfinite(given.temperature), k,
          "the temperature is " + to_text(given.temperature) + ": allowed is 0 or more");
    check(given.bath != Bath::nose_hoover || given.temperature > 0, k,
          "the temperature is 0: allowed with a chain of thermostats is above 0");
    check(positive(given.relaxation_time), k,
          "the relaxation time is " + to_text(given.relaxation_time) + ": allowed is above 0");
    check(given.chain >= 1 && given.chain <= longest_chain, k,
          "the chain of thermostats has " + std::to_string(given.chain) + " members: allowed is 1 to " +
              std::to_string(longest_chain));
    check(given.bath != Bath::quench || positive(given.tolerance), k,
          "the tolerance is " + to_text(given.tolerance) + ": allowed is above 0");
    check(given.bath != Bath::quench || given.longest_move > 0, k,
          "the longest move is " + to_text(given.longest_move) + ": allowed is above 0");
    if (given.barostat.every > 0) check_barostat(given, k);
    const Container& wall = given.container;
    check(wall.radius >= 0, k, "the radius of the container is " + to_text(wall.radius) + ": allowed is 0 or more");
    check(wall.stiffness >= 0 && std::isfinite(wall.stiffness), k,
          "the stiffness of the container is " + to_text(wall.stiffness) + ": allowed is 0 or more");
}

// Thermostats that scale velocities need motion relative to the centre of mass, and chains a periodic box.
void check_motion(const ParticleSet& particles, Bath bath, std::size_t k) {
    try {
        if (bath == Bath::nose_hoover) {
            refuse_chain(particles.region());
            own_motion(particles, *serial_comm());
        }
        if (bath == Bath::csvr) check_rescaling(particles, *serial_comm());
    } catch (const InputError& error) {
        check(false, k, error.what());
    }
}

// A particle amid the others, relative to which single precision suffices: the first one, unless it is far from most.
std::uint64_t reference_in(const ParticleSet& particles) {
    const auto x = particles[position];
    const auto middle_of = [](std::vector<double> values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::ranges::nth_element(values, middle);
        return *middle;
    };
    Vec3<double> median{0, 0, 0};
    std::vector<double> distances(x.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::ranges::transform(x, distances.begin(), [&](const Vec3<double>& each) { return each[axis]; });
        median[axis] = middle_of(distances);
    }
    const auto distance = [&](const Vec3<double>& each) {
        Vec3<double> d = each - median;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (particles.region().periodic(axis)) d[axis] = 0;  // any is near all others, by its images
        return dot(d, d);
    };
    std::ranges::transform(x, distances.begin(), distance);
    constexpr double far = 100;  // square of a distance over that of most
    if (!(distances[0] > far * middle_of(distances))) return 0;
    return static_cast<std::uint64_t>(std::ranges::min_element(distances) - distances.begin());
}

void check_box(const Vec3<double>& sides, double cutoff, std::size_t k) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        check(sides[axis] == 0 || sides[axis] >= 2 * cutoff, k,
              "its box is " + to_text(sides[axis]) + " long along " + "xyz"[axis] +
                  (std::isinf(cutoff) ? ", but the interaction is of all pairs: allowed is open space"
                                      : ": allowed is at least two cutoffs, " + to_text(2 * cutoff)));
}

// The columns of the interaction's fields: those that each system has, and others behind them.
std::vector<std::uint32_t> columns_of_fields(std::span<const FieldInfo> fields) {
    std::vector<std::uint32_t> columns;
    auto next = static_cast<std::uint32_t>(system_columns::others);
    for (const FieldInfo& field : fields) {
        if (field.integer || field.name == Velocity::name || field.name == Acceleration::name)
            throw InputError("the interaction reads the field " + field.name +
                             ": among the particles of an ensemble, allowed are numbers that do not change");
        const bool known = field.name == Position::name || field.name == Mass::name;
        std::uint32_t column =
            known ? (field.name == Mass::name ? system_columns::mass : system_columns::position) : next;
        if (!known) next += static_cast<std::uint32_t>(field.components);
        for (std::size_t c = 0; c < field.components; ++c) columns.push_back(column++);
    }
    return columns;
}

// Copies component c of a column, row after row, to `to`.
void copy_component(const Column& column, std::size_t c, double* to) {
    const std::size_t components = column.info().components;
    for (std::size_t row = 0; row < column.size(); ++row) to[row] = column.values()[row * components + c];
}

void keep(SystemTable& table, const ParticleSet& particles, std::size_t first) {
    const auto of_column = [&](std::size_t column) {
        return table.kept.data() + (column - system_columns::changing) * table.slots + first;
    };
    std::ranges::copy(particles[mass], of_column(system_columns::mass));
    std::ranges::copy(particles[id], table.ids.begin() + static_cast<std::ptrdiff_t>(first));
    std::size_t c = 0;
    for (const FieldInfo& field : table.kernels.fields)
        for (std::size_t part = 0; part < field.components; ++part, ++c)
            if (table.columns_of[c] >= system_columns::others)
                copy_component(particles.column(field.name), part, of_column(table.columns_of[c]));
}

// Numbers the Hamiltonians in the order of the first systems that have them. interactions: one for each system.
void keep_hamiltonians(SystemTable& table, std::span<const std::byte> interactions,
                       std::span<const SystemSettings> settings) {
    const std::size_t bytes = table.kernels.interaction_bytes;
    const auto append = [](std::string& key, std::span<const std::byte> part) {
        for (const std::byte each : part) key.push_back(static_cast<char>(each));
    };
    std::map<std::string, std::uint64_t> known;
    for (std::size_t k = 0; k < settings.size(); ++k) {
        const auto interaction = interactions.subspan(k * bytes, bytes);
        std::string key;
        append(key, interaction);
        append(key, std::as_bytes(std::span(&settings[k].container, 1)));
        const auto [found, is_new] = known.try_emplace(std::move(key), known.size());
        table.hamiltonian_of.push_back(found->second);
        if (!is_new) continue;
        table.interactions.insert(table.interactions.end(), interaction.begin(), interaction.end());
        table.containers.push_back(settings[k].container);
    }
}

}  // namespace

SystemTable make_system_table(const SystemKernels& kernels, std::span<const std::byte> interactions,
                              std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings) {
    SystemTable table;
    table.kernels = kernels;
    table.columns_of = columns_of_fields(kernels.fields);
    if (particles.empty()) throw InputError("an ensemble has no systems: allowed is at least 1");
    if (settings.size() != particles.size())
        throw InputError("the settings of an ensemble are " + std::to_string(settings.size()) +
                         ": allowed is one for each of its " + std::to_string(particles.size()) + " systems");
    if (interactions.size() != particles.size() * kernels.interaction_bytes)
        throw InputError("the interactions of an ensemble are not as many as its systems, " +
                         std::to_string(particles.size()));
    keep_hamiltonians(table, interactions, settings);
    for (const SystemSettings& each : settings) {
        const bool held = each.barostat.every > 0;
        table.volumes = table.volumes || held;
        table.pressure_of.push_back(held ? each.barostat.pressure : 0);
    }
    for (const ParticleSet* each : particles) table.slots += slots_for(each->size());
    table.ids.resize(table.slots);
    const std::size_t last =
        std::max<std::size_t>(system_columns::others, 1 + *std::ranges::max_element(table.columns_of));
    table.kept.resize(table.slots * (last - system_columns::changing));
    std::size_t first = 0;
    for (std::size_t k = 0; k < particles.size(); ++k) {
        const ParticleSet& each = *particles[k];
        check(each.size() > 0, k, "it has no particles: allowed is at least 1");
        try {
            check_columns(each, kernels.fields, {});
            each.check_finite(Velocity::name);
        } catch (const InputError& error) {
            check(false, k, error.what());
        }
        check(std::ranges::all_of(each[mass], [](double m) { return m > 0 && std::isfinite(m); }), k,
              "a particle has a mass that is not above 0, which moving ones need");
        check(fixed_count(each) == 0, k,
              "particles are fixed, but those of an ensemble all move: allowed is fixed = 0");
        keep(table, each, first);
        first += slots_for(each.size());
    }
    return table;
}

EnsembleState make_systems(const SystemTable& table, std::span<const ParticleSet* const> particles,
                           std::span<const SystemSettings> settings) {
    EnsembleState state;
    state.columns.resize(table.slots * system_columns::changing);
    std::size_t first = 0;
    for (std::size_t k = 0; k < particles.size(); ++k) {
        const ParticleSet& each = *particles[k];
        const SystemSettings& given = settings[k];
        check_settings(given, k);
        const Vec3<double> box = sides_of(each.region());
        check_box(box, table.kernels.cutoff(table.interaction(table.hamiltonian_of[k])), k);
        const double freedom = 3 * static_cast<double>(each.size()) - 3;
        check_motion(each, given.bath, k);
        check(given.barostat.every == 0 || (box[0] > 0 && box[1] > 0 && box[2] > 0), k,
              "it has a barostat and no box that is periodic along all axes, whose volume could change");
        check(given.container.stiffness == 0 || box == Vec3<double>{0, 0, 0}, k,
              "it has a box and a container: a container is allowed in open space alone");
        state.systems.push_back({.first = first,
                                 .count = static_cast<std::uint32_t>(each.size()),
                                 .slots = static_cast<std::uint32_t>(slots_for(each.size())),
                                 .box = box,
                                 .hamiltonian = table.hamiltonian_of[k],
                                 .reference = reference_in(each),
                                 .container = given.container,
                                 .timestep = given.timestep,
                                 .bath = given.bath,
                                 .chain = given.chain,
                                 .temperature = given.temperature,
                                 .relaxation_time = given.relaxation_time,
                                 .freedom = freedom,
                                 .seed = given.seed,
                                 .quench = {.tolerance = given.tolerance, .longest_move = given.longest_move},
                                 .barostat = given.barostat});
        table.check_members(state.systems[k], k, table.hamiltonian_of[k]);
        state.changes.push_back({given.temperature, 1, table.hamiltonian_of[k], table.pressure_of[k]});
        for (std::size_t c = 0; c < 3; ++c) {
            double* const column = state.columns.data() + first;
            copy_component(each.column(Position::name), c, column + (system_columns::position + c) * table.slots);
            copy_component(each.column(Velocity::name), c, column + (system_columns::velocity + c) * table.slots);
        }
        first += slots_for(each.size());
    }
    return state;
}

namespace {

// The values of a column that does not change, in order: which rows particles have does not matter.
std::vector<double> sorted_values(const SystemTable& table, const System& system, std::size_t column) {
    const auto* const begin = table.kept.data() + (column - system_columns::changing) * table.slots + system.first;
    std::vector<double> values(begin, begin + system.count);
    std::ranges::sort(values);
    return values;
}

std::string text_of(const Vec3<double>& box) {
    const auto side = [](double length) { return length == 0 ? std::string("open") : to_text(length); };
    return side(box.x) + ", " + side(box.y) + ", " + side(box.z);
}

bool same_shape(const Vec3<double>& a, const Vec3<double>& b, bool may_scale) {
    constexpr double rounding = 1e-9;
    const double scale = may_scale && b.x > 0 ? a.x / b.x : 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!(std::abs(a[axis] - scale * b[axis]) <= rounding * a[axis])) return false;
    return true;
}

}  // namespace

void check_same_systems(const SystemTable& table, std::span<const System> systems) {
    const System& first = systems[0];
    for (std::size_t k = 1; k < systems.size(); ++k) {
        const System& now = systems[k];
        const auto check_same = [&](bool same, const std::string& has, const std::string& first_has) {
            std::string sentence = "it has " + has;
            sentence += ", but system 0 has " + first_has;
            sentence += ": systems that exchange their states are the same, but for positions and velocities";
            check(same, k, sentence);
        };
        check_same(now.count == first.count, std::to_string(now.count) + " particles", std::to_string(first.count));
        const bool held = now.barostat.every > 0;
        check_same(held == (first.barostat.every > 0), held ? "a barostat" : "no barostat", held ? "none" : "one");
        check_same(same_shape(now.box, first.box, held), "a box with the sides " + text_of(now.box),
                   text_of(first.box));
        for (std::size_t column = system_columns::mass; column < table.columns(); ++column)
            check_same(sorted_values(table, now, column) == sorted_values(table, first, column),
                       std::string("other ") + (column == system_columns::mass ? "masses" : "values of its particles"),
                       "its own");
    }
}

double SystemTable::longest_cutoff() const {
    double longest = 0;
    for (std::size_t each = 0; each < hamiltonians(); ++each)
        longest = std::max(longest, kernels.cutoff(interaction(each)));
    return longest;
}

void SystemTable::check_members(const System& system, std::size_t number, std::size_t hamiltonian) const {
    const Topology* const topology = topology_of(kernels, interaction(hamiltonian));
    if (topology == nullptr) return;
    const auto own = std::span(ids).subspan(system.first, system.count);
    try {
        topology->excluded_rows(own);
        for (const auto& [tuples, function] : topology->potentials) tuples->rows(own, tuples->name());
    } catch (const InputError& error) {
        check(false, number, error.what());
    }
}

void check_all_hamiltonians(const SystemTable& table, std::span<const System> systems) {
    for (std::size_t k = 0; k < systems.size(); ++k) {
        check_box(systems[k].box, table.longest_cutoff(), k);
        for (std::size_t each = 0; each < table.hamiltonians(); ++each) table.check_members(systems[k], k, each);
    }
}

}  // namespace trellis
