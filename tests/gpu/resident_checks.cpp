#include "resident_checks.hpp"

#include <cmath>
#include <cstring>

#include "trellis/compile.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/resident/resident_tree_force.hpp"
#include "unit/resident/downloaded.hpp"
#include "unit/resident/fluid.hpp"
#include "unit/resident/softened_models.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

constexpr double softening = 0.02, timestep = 1e-3;

ForceSettings settings_of(Precision precision) {
    return {.theta = 0.6137,
            .method = Method::tree,
            .order = 1,
            .group_size = 100,
            .leaf_size = 8,
            .precision = precision,
            .lists = Lists::reuse,
            .reuse_steps = 3};
}

// Tree and lists of a construction step.
struct Made {
    std::vector<Cell> cells;
    std::vector<CellContents> contents;
    std::vector<CellSoftening> softenings;  // empty if they do not differ
    std::vector<RowsOfGroup> lists;
};

Made made_on(const std::shared_ptr<Device>& device, const ParticleSet& particles) {
    const auto queue = device->make_queue();
    const bool differ = particles.has(SofteningLength::name);
    ResidentColumns columns(device, *queue, particles, differ);
    const ResidentGravity gravity = differ ? ResidentGravity(checked_gravity_between_softenings(1))
                                           : ResidentGravity(checked_gravity(softening, 1));
    ResidentTreeForce force(device, *queue, columns, gravity, settings_of(Precision::single_));
    force.construct(false, 0, [] {});
    const ResidentTree& tree = force.tree();
    Made made{downloaded<Cell>(*queue, tree.cells(), tree.cell_count()),
              downloaded<CellContents>(*queue, tree.contents(), tree.cell_count()),
              downloaded<CellSoftening>(*queue, tree.softenings(), differ ? tree.cell_count() : 0),
              downloaded_lists(*queue, force.lists())};
    queue->wait();
    return made;
}

bool same_bits(const std::vector<CellContents>& a, const std::vector<CellContents>& b) {
    const auto same = [](const CellContents& x, const CellContents& y) {
        return x.sphere.centre == y.sphere.centre && x.sphere.radius == y.sphere.radius &&
               x.bounds.low == y.bounds.low && x.bounds.high == y.bounds.high && x.weight == y.weight;
    };
    return std::ranges::equal(a, b, same);
}

// The relative criterion in double alone: by accelerations in single a cell at its limit may be judged otherwise.
ForceSettings with_expansions(ForceSettings settings) {
    if (settings.precision == Precision::double_) settings.theta = 0;
    settings.method = Method::fmm;
    settings.order = 3;
    return settings;
}

// Positions and velocities after seven steps, with lists reused in between.
ParticleSet after_steps(const std::shared_ptr<Device>& device, ParticleSet particles, const ForceSettings& settings) {
    const auto run = [&](const auto& softenings) {
        ResidentSimulation sim(particles, softenings, 1, settings, timestep, device);
        for (int k = 0; k < 7; ++k) sim.step();
        sim.download(particles);
    };
    particles.has(SofteningLength::name) ? run(SofteningOfEach{}) : run(softening);
    return particles;
}

double difference_of_velocities(const ParticleSet& a, const ParticleSet& b) {
    double difference = 0, largest = 1e-300;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const auto v = b[velocity][row], apart = a[velocity][row] - v;
        difference = std::max(difference, std::sqrt(dot(apart, apart)));
        largest = std::max(largest, std::sqrt(dot(v, v)));
    }
    return difference / largest;
}

void check_model(Checks& checks, const std::shared_ptr<Device>& device, const models::Model& model, std::size_t size,
                 bool differ) {
    const auto host = open_device("cpu");
    const std::string what =
        std::to_string(size) + " particles, " + model.name + (differ ? ", softenings that differ" : "");
    const ParticleSet particles = models::made(model, size, differ);
    const Made here = made_on(host, particles), there = made_on(device, particles);
    checks.that(there.cells == here.cells, what + ", cells");
    checks.that(same_bits(there.contents, here.contents), what + ", contents of cells");
    checks.that(there.softenings == here.softenings, what + ", softenings of cells");
    checks.that(there.lists == here.lists, what + ", lists");
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const ForceSettings& settings : {settings_of(precision), with_expansions(settings_of(precision))}) {
            const double difference =
                difference_of_velocities(after_steps(device, models::made(model, size, differ), settings),
                                         after_steps(host, models::made(model, size, differ), settings));
            checks.that(difference <= (precision == Precision::single_ ? 3e-5 : 1e-12),
                        what + (settings.method == Method::fmm ? ", expansions" : "") +
                            (precision == Precision::single_ ? ", steps in single" : ", steps in double"),
                        "largest difference " + std::to_string(1e6 * difference) + "e-6");
        }
}

// Lists are made by the accelerations without those of the field, which is stronger.
void check_in_a_field(Checks& checks, const std::shared_ptr<Device>& device, std::size_t size) {
    const auto run = [&](const std::shared_ptr<Device>& on) {
        ParticleSet particles = models::made({"plummer", models::plummer}, size, false);
        ForceSettings settings = settings_of(Precision::double_);
        settings.theta = 0;
        ResidentSimulation sim(particles, softening, 1, settings, timestep, on);
        sim.add_external(external_field(external::UniformField{{300, 200, -100}}));
        sim.add_external(external_field(external::Nfw{.mass = 2, .scale_radius = 1}));
        for (int k = 0; k < 7; ++k) sim.step();
        sim.download(particles);
        return particles;
    };
    const double difference = difference_of_velocities(run(device), run(open_device("cpu")));
    checks.that(difference <= 1e-12, "gravity in external fields, steps in double",
                "largest difference " + std::to_string(1e6 * difference) + "e-6");
}

// Atoms of one kind, or of two if `mixed`.
std::shared_ptr<const ShortRangeForce> atoms(Truncation truncation, bool mixed, Precision precision) {
    const ShortRangeSettings settings{.reuse_steps = 20, .precision = precision};
    if (!mixed) return lennard_jones(1, 1, 2.5, truncation, settings);
    Mixture mixture;
    mixture.kinds = {{"a", 1, 1}, {"b", 0.5, 0.9}};
    mixture.truncation = truncation;
    return lennard_jones(mixture, settings);
}

void check_atoms(Checks& checks, const std::shared_ptr<Device>& device, const std::string& what, std::size_t size,
                 const std::shared_ptr<const ShortRangeForce>& force) {
    const auto run = [&](const std::shared_ptr<Device>& on) {
        ParticleSet particles = fluid(size, 3);
        ResidentSimulation sim(particles, force, timestep, on);
        sim.run_steps(30);
        sim.save(particles);
        const ListUse use = sim.list_use();
        return std::pair(std::move(particles), use);
    };
    const auto [there, use] = run(device);
    const auto [here, same_use] = run(open_device("cpu"));
    const bool single = force->settings().precision == Precision::single_;
    const double difference = difference_by_row(there, here);
    checks.that(difference <= (single ? 2e-2 : 1e-9), what + (single ? ", steps in single" : ", steps in double"),
                "largest difference " + std::to_string(1e6 * difference) + "e-6");
    checks.that(use.early == same_use.early && use.reuses == same_use.reuses && use.reuses > 20,
                what + ", lists are renewed at the same steps");
}

void check_all_atoms(Checks& checks, const std::shared_ptr<Device>& device, std::size_t size) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        check_atoms(checks, device, "atoms that stay", size, atoms(Truncation::force_shifted, false, precision));
        for (const Truncation truncation :
             {Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted, Truncation::switched})
            check_atoms(checks, device, "atoms of two kinds that stay", size, atoms(truncation, true, precision));
    }
}

}  // namespace

void check_resident(Checks& checks, const std::shared_ptr<Device>& device, bool small) {
    const std::vector<std::size_t> few_sizes = {2, 700}, all_sizes = {1, 2, 9, 1000, 100000};
    for (const models::Model& model : models::all_models) {
        // The lists of this model contain all pairs.
        const bool is_one_place = std::strcmp(model.name, "one_place") == 0;
        for (const std::size_t size : small ? few_sizes : all_sizes)
            for (const bool differ : {false, true})
                if (!is_one_place || size <= 1000) check_model(checks, device, model, size, differ);
    }
    check_in_a_field(checks, device, small ? 700 : 10000);
    check_all_atoms(checks, device, small ? 729 : 8000);
}
