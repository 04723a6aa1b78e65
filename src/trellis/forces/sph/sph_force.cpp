#include "trellis/forces/sph/sph_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/forces/sph/gas_checks.hpp"
#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/forces/sph/kernels/hydro.hpp"
#include "trellis/forces/sph/kernels/softening.hpp"
#include "trellis/forces/sph/kernels/sph_neighbours.hpp"
#include "trellis/forces/sph/signal_arrival.hpp"
#include "trellis/forces/sph/time_step.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

SphKernels kernels_of(const SphSettings& settings) {
    check(settings);
    TRELLIS_CALL_FOR_GPUS(register_sph_neighbours());
    const auto strength = static_cast<float>(settings.conductivity);
    const bool by_flow = settings.conduction == Conduction::flow;
    const Conductivity conductivity{by_flow ? 0 : strength, by_flow ? strength : 0};
    const SelfGravity gravity = settings.adaptive_softening.value_or(SelfGravity{1});
    switch (settings.kernel) {
        case Smoothing::cubic_spline:
            return TRELLIS_VARIANT(cubic_spline_kernels)(settings.dimensions, conductivity, gravity);
        case Smoothing::wendland_c2:
            return TRELLIS_VARIANT(wendland_c2_kernels)(settings.dimensions, conductivity, gravity);
        default:
            return TRELLIS_VARIANT(wendland_c4_kernels)(settings.dimensions, conductivity, gravity);
    }
}

// The share by which smoothing lengths change within a step, but for few.
constexpr double lengths_change = 0.004;

const CompiledPairs& pressure_of(const SphSettings& settings, const SphKernels& kernels) {
    return isothermal(settings) ? kernels.barotropic_hydro : kernels.hydro;
}

bool reuses(const ShortRangeSettings& search) { return search.lists == Lists::reuse && search.reuse_steps > 1; }

// The most steps that one set of lists serves.
std::uint32_t served_steps(const ShortRangeSettings& search) { return reuses(search) ? search.reuse_steps : 1; }

// Lists that a device makes a step ahead need rows that stay in place: one of lists_in_a_row lists is made by the host,
// at a step at which rows may be sorted and particles may change ranks.
constexpr std::uint32_t lists_in_a_row = 8;

template <class F>
void add_where_missing(ParticleSet& particles, F) {
    if (!particles.has(F::name)) particles.add(field_info<F>());
}

double least(double a, double b) { return std::min(a, b); }

// The smallest limit(row) of all rows.
template <class Limit>
double least_of(std::size_t rows, const Limit& limit) {
    const double unlimited = std::numeric_limits<double>::infinity();
    return parallel_reduce(
        rows, unlimited,
        [&](std::size_t begin, std::size_t end) {
            double shortest = unlimited;
            for (std::size_t row = begin; row < end; ++row) shortest = least(shortest, limit(row));
            return shortest;
        },
        least);
}

}  // namespace

SphForce::SphForce(const SphSettings& settings) : SphForce(settings, kernels_of(settings)) {}

SphForce::SphForce(const SphSettings& settings, const SphKernels& kernels)
    : settings_(settings),
      shape_(kernels.shape),
      neighbourhood_(Search::symmetric, skin_ratio_of(settings.search, false), settings.search.group_size,
                     reuses(settings.search)),
      density_(kernels.density, kernels.shape, settings.neighbours, settings.search.precision),
      velocity_gradient_(kernels.velocity_gradient.kernels, kernels.velocity_gradient.interaction,
                         settings.search.precision),
      hydro_(pressure_of(settings, kernels).kernels, pressure_of(settings, kernels).interaction,
             settings.search.precision),
      results_(hydro_.kernels().outcome) {
    for (const auto& [value, rate] : hydro_.kernels().evolves) evolution_.push_back({value.name, rate.name});
    if (settings.adaptive_softening) {
        const Precision precision = settings.search.precision;
        potential_slope_.emplace(kernels.potential_slope.kernels, kernels.potential_slope.interaction, precision);
        softening_.emplace(kernels.softening.kernels, kernels.softening.interaction, precision);
        results_.push_back(field_info<Potential>());
    }
    const double fewest = fewest_neighbours(shape_);
    if (!(settings.neighbours > fewest && std::isfinite(settings.neighbours)))
        throw InputError("neighbours is " + to_text(settings.neighbours) + ": allowed is above " + to_text(fewest) +
                         ", which a particle alone counts for with this kernel");
    neighbourhood_.prune_at_each_step(std::min(lengths_change, skin_ratio_of(settings.search, false)));
    SphForce::use_devices(settings.search.device);
    if (!settings.neighbours_device.none()) neighbourhood_.ask_ahead(settings.neighbours_device.first());
}

void SphForce::use_devices(const Devices& devices) {
    settings_.search.device = devices;
    on_device_ = devices.none() ? nullptr : std::make_shared<DeviceNeighbours>(devices);
    neighbourhood_.serve_devices(on_device_ != nullptr);
    density_.use_devices(on_device_);
    velocity_gradient_.use_devices(on_device_);
    hydro_.use_devices(on_device_);
    if (potential_slope_) potential_slope_->use_devices(on_device_);
    if (softening_) softening_->use_devices(on_device_);
}

void SphForce::attach(ParticleSet& particles, std::size_t number) {
    const auto add = [&](auto... fields) { (add_where_missing(particles, fields), ...); };
    add(smoothing_length, inverse_length, neighbour_number, density, density_slope, density_curvature, force_weight,
        pressure, sound_speed, velocity_divergence, velocity_curl, viscosity, signal_step);
    if (softening_) add(potential_slope, softening_weight);
    if (isothermal(settings_)) add(isothermal_energy);
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
    neighbourhood_.attach(particles, number);
}

std::vector<std::string> SphForce::reads() const {
    std::vector<std::string> names{Position::name, Velocity::name, Mass::name, SmoothingLength::name, Viscosity::name};
    if (!isothermal(settings_)) names.emplace_back(InternalEnergy::name);
    if (softens_each(settings_)) names.emplace_back(SofteningLength::name);
    return names;
}

// Smoothing lengths follow from the last ones; strengths of the viscosity from the last ones and from the change of the
// divergence.
std::vector<std::string> SphForce::checkpoint_columns() const {
    std::vector<std::string> columns = neighbourhood_.kept_columns();
    columns.insert(columns.end(), {SmoothingLength::name, Viscosity::name, VelocityDivergence::name, Density::name,
                                   DensitySlope::name, SignalStep::name});
    return columns;
}

std::uint32_t SphForce::reuse_steps() const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t lists = neighbourhood_.asks_ahead() ? lists_in_a_row : 1;
    return static_cast<std::uint32_t>(std::min(most, lists * served_steps(settings_.search)));
}

// Velocities and internal energies lag the positions by half a step; predict them with the last accelerations and
// heating rates.
void SphForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    if (step.active.all()) {  // what holds then holds for forces on some, which follow in the same longest step
        check_gas(particles, settings_, step.rungs && step.rungs->longest > 0);
        if (!step.rungs) check_time_step(particles, step);
    }
    const Ranks* ranks = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks : nullptr;
    if (step.repeated) neighbourhood_.forget();
    if (on_device_ != nullptr) on_device_->begin_step(step.active);
    work_ = density_.solve(particles, neighbourhood_, ranks, step, phases);
    ask_for_next_lists(particles, ranks, step, phases);
    choose_active(particles, step);
    weigh_forces(particles);
    std::visit([&](const auto& gas) { apply(gas, particles, step.since_kick); }, settings_.gas);
    const Neighbourhood& lists = neighbourhood_.lists();
    std::vector<Prediction> ahead{predicted_velocity(step.since_kick)};
    for (const auto& [value, rate] : evolution_) ahead.push_back({value, rate, step.since_kick});
    keep_divergence(particles);
    velocity_gradient_.begin(lists, particles, ahead, phases, selected());
    share_failure(ranks, device_failure_of([&] {
                      work_ += velocity_gradient_.finish(lists, particles, NeighbourEvaluator::Sums::replace, phases);
                  }));
    switch_viscosity(particles, step);
    soften(particles, ranks, phases);
    hydro_.begin(lists, particles, ahead, phases, selected());
}

void SphForce::choose_active(const ParticleSet& particles, const ForceStep& step) {
    individual_steps_ = step.rungs.has_value();
    active_ = step.active;
    wanted_.clear();
    if (active_.all()) return;
    flag_rows(active_, particles.size(), wanted_);
    neighbourhood_.lists().select(wanted_, selection_);
}

void SphForce::keep_divergence(const ParticleSet& particles) {
    const auto divergence = particles[velocity_divergence];
    earlier_divergence_.resize(divergence.size());
    parallel_for(active_.count(divergence.size()),
                 [&](std::size_t k) { earlier_divergence_[active_[k]] = divergence[active_[k]]; });
}

Work SphForce::retrieve(ParticleSet& particles, Phases& phases) {
    const std::exception_ptr failure = device_failure_of([&] { add_forces(particles, phases); });
    if (individual_steps_) {  // signals are exchanged
        share_failure(neighbourhood_.lists().ranks(), failure);
        limit_steps_by_signals(particles);
    } else if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
    note_use();
    return work_;
}

void SphForce::add_forces(ParticleSet& particles, Phases& phases) {
    const Neighbourhood& lists = neighbourhood_.lists();
    try {
        work_ += hydro_.finish(lists, particles, NeighbourEvaluator::Sums::add, phases);
    } catch (const DeviceError&) {
        if (softening_) softening_->abandon();
        throw;
    }
    if (softening_) work_ += softening_->finish(lists, particles, NeighbourEvaluator::Sums::add, phases);
}

void SphForce::note_use() {
    use_.reset();
    if (on_device_ != nullptr) use_ = on_device_->use();
    neighbourhood_.add_use(use_, settings_.search.device);
}

// Requests new lists if this is the last step that the present ones serve, and rows stay in place.
void SphForce::ask_for_next_lists(ParticleSet& particles, const Ranks* ranks, const ForceStep& step, Phases& phases) {
    const std::uint64_t next = step.number + 1;
    if (neighbourhood_.asks_ahead() && next % served_steps(settings_.search) == 0 && next % reuse_steps() != 0)
        neighbourhood_.ask_for_next(particles, Radii(particles[smoothing_length]), ranks, step, phases);
}

// Begins adaptive softening: its weights, and the corrections that retrieve adds.
void SphForce::soften(ParticleSet& particles, const Ranks* ranks, Phases& phases) {
    if (!potential_slope_ || !softening_) return;
    const Neighbourhood& lists = neighbourhood_.lists();
    potential_slope_->begin(lists, particles, {}, phases, selected());
    share_failure(ranks, device_failure_of([&] {
                      work_ += potential_slope_->finish(lists, particles, NeighbourEvaluator::Sums::replace, phases);
                  }));
    const auto h = particles[smoothing_length], rho = particles[density], slope = particles[potential_slope];
    const auto pressed = particles[force_weight], weight = particles[softening_weight];
    for_rows_read(particles.size(), [&](std::size_t row) {
        weight[row] = softening_weight_of(h[row], rho[row], slope[row], pressed[row]);
    });
    softening_->begin(lists, particles, {}, phases, selected());
}

void SphForce::allowed_steps(const ParticleSet& particles, double /*time*/, const ActiveRows& rows, Comm* /*ranks*/,
                             std::span<double> steps) const {
    const auto h = particles[smoothing_length], speed = particles[signal_speed];
    const auto of_signals = particles[signal_step];
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    lower_steps(rows, steps, [&](std::uint32_t row) {
        double own = courant_step(settings_.courant, h[row], speed[row]);
        if (free[row]) own = least(own, acceleration_step(settings_.courant, h[row], std::sqrt(dot(a[row], a[row]))));
        return of_signals[row] > 0 ? least(own, of_signals[row]) : own;
    });
}

// A particle's steps begin short and grow gradually, as those that are chosen for all (StepClock).
void SphForce::limit_steps_by_signals(ParticleSet& particles) const {
    const auto h = particles[smoothing_length], speed = particles[signal_speed], step = particles[signal_step];
    parallel_for(active_.count(particles.size()), [&](std::size_t k) {
        const std::uint32_t row = active_[k];
        const double own = courant_step(settings_.courant, h[row], speed[row]);
        step[row] = step[row] > 0 ? least(own, step_growth * step[row]) : first_share * own;
    });
    SignalArrival(neighbourhood_.lists(), particles).lower_steps(particles, wanted_);
}

// Checks the step by the signal speeds of the last forces.
void SphForce::check_time_step(const ParticleSet& particles, const ForceStep& step) const {
    const auto h = particles[smoothing_length], speed = particles[signal_speed];
    const FreeRows free(particles);
    const bool evolves = !evolution_.empty();  // also where a particle is fixed
    double allowed = least_of(particles.size(), [&](std::size_t row) {
        return evolves || free[row] ? courant_step(settings_.courant, h[row], speed[row])
                                    : std::numeric_limits<double>::infinity();
    });
    if (step.ranks != nullptr) allowed = all_reduce(*step.ranks->comm, allowed, least);
    if (elapsed_time(step) > allowed)
        throw RunError("timestep is " + to_text(elapsed_time(step)) + ": allowed is at most " + to_text(allowed) +
                       " now, the time in which signals cross " + to_text(settings_.courant) +
                       " of the smoothing length (courant)");
}

// Calls body(row) for the rows that the loops over neighbours read.
template <class Body>
void SphForce::for_rows_read(std::size_t rows, Body&& body) const {
    constexpr std::size_t block = SortedColumns::block_slots;
    const Neighbourhood& lists = neighbourhood_.lists();
    if (active_.all() || !velocity_gradient_.reads_some(lists)) return parallel_for(rows, body);
    const auto order = lists.tree().order();
    parallel_for(selection_.blocks.size(), [&](std::size_t k) {
        const std::size_t first = selection_.blocks[k] * block;
        for (const std::uint32_t row : order.subspan(first, std::min(block, order.size() - first))) body(row);
    });
}

void SphForce::weigh_forces(ParticleSet& particles) const {
    const auto h = particles[smoothing_length], rho = particles[density], slope = particles[density_slope];
    const auto h_inverse = particles[inverse_length], weight = particles[force_weight];
    for_rows_read(particles.size(), [&](std::size_t row) {
        h_inverse[row] = 1 / h[row];
        weight[row] = force_weight_of(shape_, h[row], rho[row], omega(shape_.dimensions, h[row], rho[row], slope[row]));
    });
}

void SphForce::apply(const IdealGas& gas, ParticleSet& particles, double since_kick) const {
    const auto rho = particles[density], p = particles[pressure], c = particles[sound_speed];
    const auto u = particles[internal_energy], heating = particles[internal_energy_rate];
    for_rows_read(particles.size(), [&](std::size_t row) {
        const double energy = std::max(u[row] + since_kick * heating[row], 0.0);
        p[row] = gas.pressure(rho[row], energy);
        c[row] = gas.sound_speed(energy);
    });
}

void SphForce::apply(const IsothermalGas& gas, ParticleSet& particles, double /*since_kick*/) const {
    const auto rho = particles[density], p = particles[pressure], c = particles[sound_speed];
    const auto energy = particles[isothermal_energy];
    for_rows_read(particles.size(), [&](std::size_t row) {
        p[row] = gas.pressure(rho[row]);
        c[row] = gas.sound_speed;
        energy[row] = gas.energy(rho[row]);
    });
}

// Changes active rows alone.
void SphForce::switch_viscosity(ParticleSet& particles, const ForceStep& step) const {
    const std::span<const double> rungs = step.rungs ? std::as_const(particles)[rung] : std::span<const double>();
    const auto h = particles[smoothing_length], divergence = particles[velocity_divergence];
    const auto c = particles[sound_speed], signal = particles[signal_speed], alpha = particles[viscosity];
    const auto curl = particles[velocity_curl];
    parallel_for(active_.count(particles.size()), [&](std::size_t k) {
        const std::uint32_t row = active_[k];
        const double elapsed =
            step.rungs ? std::ldexp(step.rungs->longest, -static_cast<int>(rungs[row])) : elapsed_time(step);
        const double change = divergence[row] - earlier_divergence_[row];
        const FlowState flow{.h = h[row],
                             .divergence = divergence[row],
                             .divergence_rate = elapsed > 0 ? change / elapsed : 0,
                             .curl = std::sqrt(dot(curl[row], curl[row])),
                             .sound_speed = c[row],
                             .signal_speed = std::max(signal[row], 2 * c[row])};
        alpha[row] =
            std::visit([&](const auto& switched) { return switched(alpha[row], flow, elapsed); }, settings_.viscosity);
    });
}

void SphForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                         double /*time*/, double* values) const {
    hydro_.kernels().reference(hydro_.interaction(), sources, targets, row, self, {}, values);
    if (!softening_) return;
    double softer[4];  // acceleration and potential, the first and the last of the results
    softening_->kernels().reference(softening_->interaction(), sources, targets, row, self, {}, softer);
    for (std::size_t axis = 0; axis < 3; ++axis) values[axis] += softer[axis];
    for (const FieldInfo& field : hydro_.kernels().outcome) values += field.components;
    *values = softer[3];
}

}  // namespace trellis
