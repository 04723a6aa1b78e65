// Many small systems of particles, each with its own space, temperature, random numbers and time step. Devices advance
// them by themselves, many steps a call: a system belongs to one core and stays in its cache.
//
// A system equals a Simulation of its particles within rounding. Its bits depend neither on the other systems, nor on
// the number of devices of one kind, nor on how steps are divided into calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/ensembles/ensemble_scheduler.hpp"
#include "trellis/ensembles/system_table.hpp"

namespace trellis {

class Ensemble {
  public:
    // particles, settings: one for each system; interactions: one for each, in bytes, see make_system_table. devices:
    // they share the systems; if empty, the threads of this process do. Throws InputError for values out of range,
    // DeviceError for devices that cannot hold the systems.
    Ensemble(const SystemKernels& kernels, std::span<const std::byte> interactions,
             std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings,
             const Devices& devices = {});
    Ensemble(const Ensemble&) = delete;
    Ensemble& operator=(const Ensemble&) = delete;

    std::size_t size() const { return steps_.size(); }
    std::span<const std::uint64_t> step_counts() const { return steps_; }  // steps of each system

    const SystemKernels& kernels() const { return table_.kernels; }
    Bath bath(std::size_t system) const { return scheduler_->systems()[system].bath; }

    // Advances each system by `steps` steps. every: above 0, divides steps. Returns the energies of all systems after
    // the first `every` steps, then after the next, and so on. If a device fails, the others continue with its systems
    // from the last saved state. Throws DeviceError if no device is left, InputError for a number out of range,
    // RunError if an energy is not finite.
    std::vector<SystemEnergies> advance(std::uint64_t steps, std::uint64_t every);
    // The same with potential energies alone, in single precision, a sixth of the bytes: all samples of the first
    // system, then those of the next, and so on.
    std::vector<float> advance_potentials(std::uint64_t steps, std::uint64_t every);

    // Systems that differ by interaction or container have different Hamiltonians. hamiltonians: their number;
    // first_hamiltonian: the number of a system's at the beginning.
    std::size_t hamiltonians() const { return table_.hamiltonians(); }
    std::size_t first_hamiltonian(std::size_t system) const { return table_.hamiltonian_of[system]; }
    // From now on, calls evaluate each system in all Hamiltonians, and systems may change to any. Throws InputError if
    // a system does not fit into all.
    void evaluate_in_all();
    // Potential energies of each system in each Hamiltonian, at the end of the last call that returned all energies.
    // Only after evaluate_in_all.
    std::span<const double> potential_in_all() const { return in_all_; }

    // See check_same_systems.
    void check_same() const { check_same_systems(table_, scheduler_->systems()); }

    // True if a system has a barostat, so that boxes change.
    bool boxes_change() const { return table_.volumes; }
    double pressure(std::size_t system) const { return changes_[system].pressure; }
    double first_pressure(std::size_t system) const { return table_.pressure_of[system]; }  // at the beginning
    // Volumes at the samples of the last call, sample after sample; empty if boxes do not change.
    std::span<const double> volumes() const { return volumes_; }

    // Sets a temperature k T for each system from the next steps on: 0 or more, above 0 with a chain of thermostats.
    void set_temperatures(std::span<const double> temperatures);
    std::vector<double> temperatures() const;
    std::size_t hamiltonian(std::size_t system) const { return changes_[system].hamiltonian; }
    // Multiplies velocities before the next steps, with one factor for each system. The energy is added to the bath's
    // account.
    void scale_velocities(std::span<const double> factors);
    // Changes temperature, Hamiltonian and pressure of one system, of which no steps are under way, and scales its
    // velocities by a finite factor. Temperature and Hamiltonian must be allowed, the pressure finite. The energy is
    // added to the bath's account.
    void change(std::size_t system, const SystemChange& change);

    // The state, with the changes that are due before the next steps.
    EnsembleState state();
    // Restores a state of this ensemble, or of one with the same systems. Throws InputError for any other.
    void restore(const EnsembleState& state);
    // Restores the first systems from a state of an ensemble that had these systems alone; the others stay as they are.
    // hamiltonians: for each Hamiltonian of that ensemble its number here. Throws InputError for any other state.
    void restore_first(const EnsembleState& state, std::span<const std::size_t> hamiltonians);
    // Devices that continue when none is left of those that share the systems.
    void set_spares(std::shared_ptr<SpareDevices> spares);
    // One sentence for each device that was replaced since the last call, and for each spare that could not be used.
    std::vector<std::string> take_device_notes();
    // Writes position, velocity and acceleration of a system into particles, which are as many; positions are wrapped
    // into a box. At constant pressure, the region of the particles gets the size of the box.
    void copy(const EnsembleState& state, std::size_t system, ParticleSet& particles) const;

    // Continues on other devices; if empty, on the threads of this process.
    void use(const Devices& devices);

    // For a caller that does not wait for all systems at once: they are advanced in parts, see EnsembleScheduler.
    // Divides them into parts_a_device parts for each device.
    void divide(std::size_t parts_a_device);
    std::size_t parts() const { return scheduler_->parts(); }
    SystemRange systems_of(std::size_t part) const { return scheduler_->systems_of(part); }
    // Begins steps of a part, of which none are under way; `then` calls back when they are done or its device has
    // failed.
    void begin(std::size_t part, std::uint64_t steps);
    void then(std::size_t part, std::function<void()> call) { scheduler_->then(part, std::move(call)); }
    // Waits for them, and writes the energies at their end to the elements of these systems. Returns false if the
    // device has failed: then steps of this part, and of new ones behind the last, are under way on other devices.
    // Throws as advance does.
    bool finish(std::size_t part, std::span<SystemEnergies> energies);

  private:
    void distribute(const EnsembleState& state);
    void check_first(const EnsembleState& state, std::size_t systems) const;
    void begin_all(const StepsCall& call);
    void finish_all(std::uint64_t steps, const CallEnergies& energies);
    void check_finite(std::span<const SystemEnergies> energies, std::size_t first_system);
    [[noreturn]] void throw_broken(std::size_t system);
    void check_volumes(std::span<const double> volumes, std::size_t first_system) const;
    void note_potentials(SystemRange systems, std::span<const SystemEnergies> last);
    void count(SystemRange systems, std::uint64_t steps);

    SystemTable table_;
    Devices devices_;
    bool may_fail_;  // the devices are not the threads of this process
    std::shared_ptr<SpareDevices> spares_ = std::make_shared<SpareDevices>();
    std::size_t parts_a_device_ = 1;
    std::vector<std::uint64_t> steps_;   // for each system
    std::vector<SystemChange> changes_;  // before the next steps
    std::vector<double> volumes_;        // at the samples of the last call
    std::vector<double> in_all_;         // potential energy of each system in each Hamiltonian, at its last evaluation
    std::unique_ptr<EnsembleScheduler> scheduler_;
    std::vector<std::uint64_t> under_way_;  // steps begun, for each part
};

}  // namespace trellis
