// Many small systems of particles, each with a space, a temperature, random numbers and a time step of its own. Devices
// advance them by themselves, many steps a call: a system belongs to one core and stays in its cache.
//
// A system equals a Simulation of its particles within rounding. Its bits depend neither on the systems beside it, nor
// on the devices of one kind, how many they are, or how steps are divided into calls.
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
    // particles and settings: those of each system; interactions: one for each, in bytes: see make_system_table.
    // devices: they share the systems; none for the threads of this process. Throws InputError for what cannot be used,
    // DeviceError for devices that cannot hold the systems.
    Ensemble(const SystemKernels& kernels, std::span<const std::byte> interactions,
             std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings,
             const Devices& devices = {});
    Ensemble(const Ensemble&) = delete;
    Ensemble& operator=(const Ensemble&) = delete;

    std::size_t size() const { return steps_.size(); }
    std::span<const std::uint64_t> step_counts() const { return steps_; }  // steps that each system has taken

    Bath bath(std::size_t system) const { return shared_->saved().systems[system].bath; }

    // Each system takes so many steps. every: above 0, divides steps. Returns the energies of all systems after the
    // first `every` steps, then after the next, and so on. If a device fails, the others take over its systems, from
    // the last state that was saved here; DeviceError if none is left. Throws InputError for a number that is not
    // allowed, RunError if an energy is not finite.
    std::vector<SystemEnergies> advance(std::uint64_t steps, std::uint64_t every);
    // The same, but returns potential energies alone, in single precision, a sixth of the bytes: those of the first
    // system, sample after sample, then those of the next, and so on.
    std::vector<float> advance_potentials(std::uint64_t steps, std::uint64_t every);

    // Systems that differ by interaction or container have different Hamiltonians: their number, and that of a system
    // at the beginning.
    std::size_t hamiltonians() const { return table_.hamiltonians(); }
    std::size_t first_hamiltonian(std::size_t system) const { return table_.hamiltonian_of[system]; }
    // From now on, calls evaluate each system in all Hamiltonians, and systems may enter any. Throws InputError if one
    // does not fit into all.
    void evaluate_in_all();
    // Potential energies at the end of the last call that brought all energies: of each system, in each Hamiltonian.
    // After evaluate_in_all.
    std::span<const double> potential_in_all() const { return in_all_; }

    // Whether a system has a barostat, so that boxes change.
    bool boxes_change() const { return table_.volumes; }
    double pressure(std::size_t system) const { return changes_[system].pressure; }
    double first_pressure(std::size_t system) const { return table_.pressure_of[system]; }  // at the beginning
    // Volumes with the energies of the last call, sample after sample; none if boxes stay as they are.
    std::span<const double> volumes() const { return volumes_; }

    // From the next steps on: a temperature for each system, at least 0, with a chain above 0.
    void set_temperatures(std::span<const double> temperatures);
    std::vector<double> temperatures() const;
    std::size_t hamiltonian(std::size_t system) const { return changes_[system].hamiltonian; }
    // Before the next steps, velocities are multiplied by these factors, one for each system. The account of the bath
    // has the energy.
    void scale_velocities(std::span<const double> factors);
    // Both, Hamiltonian and pressure, of one system, of which no steps are under way: a temperature which is allowed, a
    // finite factor, a Hamiltonian in which calls evaluate it, and a finite pressure. The account of the bath has all
    // energy.
    void change(std::size_t system, const SystemChange& change);

    // The state, with what is changed before the next steps.
    EnsembleState state();
    // Goes back to a state of this ensemble, or of one made alike. Throws InputError for another.
    void restore(const EnsembleState& state);
    // The first systems go back to a state of an ensemble that was made alike, but had no others; these stay as they
    // are. hamiltonians: the numbers here of those that it had. Throws InputError for another.
    void restore_first(const EnsembleState& state, std::span<const std::size_t> hamiltonians);
    // Devices that take over when none is left of those that share the systems.
    void set_spares(std::shared_ptr<SpareDevices> spares);
    // One sentence for each device that others have taken over from since the last call, and what befell spares.
    std::vector<std::string> take_device_notes();
    // Writes position, velocity and acceleration of a system into particles, as many as it has; those of a box come
    // back into it. At constant pressure, the region of the particles gets the size of the box.
    void copy(const EnsembleState& state, std::size_t system, ParticleSet& particles) const;

    // Goes on with other devices; none: the threads of this process.
    void use(const Devices& devices);

    // For a caller that does not wait for all systems at once: they are advanced in parts, see EnsembleScheduler.
    // Divides them into so many parts for each device.
    void divide(std::size_t parts_a_device);
    std::size_t parts() const { return shared_->parts(); }
    SystemRange systems_of(std::size_t part) const { return shared_->systems_of(part); }
    // Begins steps of a part, of which none are under way; `then` calls back when they are done or its device failed.
    void begin(std::size_t part, std::uint64_t steps);
    void then(std::size_t part, std::function<void()> call) { shared_->then(part, std::move(call)); }
    // Waits for them, and writes the energies at their end to the places of these systems. Returns false if its device
    // has failed: then steps of this part, and of new ones behind the last, are under way on other devices. Throws as
    // advance does.
    bool finish(std::size_t part, std::span<SystemEnergies> energies);

  private:
    void share(EnsembleState state);
    void check_first(const EnsembleState& state, std::size_t systems) const;
    void begin_all(const StepsCall& call);
    void finish_all(std::uint64_t steps, const CallEnergies& energies);
    void check_finite(std::span<const SystemEnergies> energies, std::size_t first_system) const;
    void check_volumes(std::span<const double> volumes, std::size_t first_system) const;
    void note_potentials(SystemRange systems, std::span<const SystemEnergies> last);
    void count(SystemRange systems, std::uint64_t steps);

    SystemTable table_;
    Devices devices_;
    bool may_fail_;  // the devices are not the threads of this process
    std::shared_ptr<SpareDevices> spares_ = std::make_shared<SpareDevices>();
    std::size_t parts_a_device_ = 1;
    std::vector<std::uint64_t> steps_;   // of each system
    std::vector<SystemChange> changes_;  // before the next steps
    std::vector<double> volumes_;        // with the energies of the last call
    std::vector<double> in_all_;         // potential energies of each system in each Hamiltonian, where it was last
    std::unique_ptr<EnsembleScheduler> shared_;
    std::vector<std::uint64_t> under_way_;  // steps begun of each part
};

}  // namespace trellis
