// The forces of a step: computed together, and again if a device fails or a force needs another precision. A failure
// leaves the particles and the columns of the forces as they were before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/particles/saved_columns.hpp"
#include "trellis/run/all_forces.hpp"
#include "trellis/run/domains.hpp"
#include "trellis/run/row_order.hpp"
#include "trellis/run/spares.hpp"

namespace trellis {

class StepForces {
  public:
    // Adds a force that is attached to these particles, and the column of MutualAcceleration where it is needed.
    // Returns the columns that computations change.
    std::vector<std::string> add(std::shared_ptr<Force> force, ParticleSet& particles);
    const std::vector<std::shared_ptr<Force>>& all() const { return forces_.forces(); }
    // The work of the last computation: of this rank, and of all ranks.
    const Work& work() const { return forces_.work(); }
    const Work& total_work() const { return forces_.total_work(); }

    // See AllForces::keep.
    void keep(std::shared_ptr<const OwnResults> own_results) { forces_.keep(std::move(own_results)); }
    RowOrder& rows() { return rows_; }
    Spares& spares() { return spares_; }

    // Computes the forces at the present positions. number: of the step. known: the columns have the forces of an
    // earlier step; else potentials are cleared, and a relative criterion begins with a rough force. Collective. Throws
    // what forces throw, RunError if memory runs out, and DeviceError on all ranks if a device fails that no spare can
    // replace; the next call then continues with the rows as they are, unless rearrange() is called.
    void compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, bool known, Domains& domains,
                 Phases& phases);
    // The same with lists that are made again, while rows stay where they are.
    void compute_in_place(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Domains& domains,
                          Phases& phases);
    // Forgets a failed computation: the next one arranges rows first.
    void rearrange() { rearranged_.reset(); }
    // After a resume at `time`, collective. domains: restored, if they were of as many ranks.
    void resume(ParticleSet& particles, double time, const Domains& domains) {
        forces_.resume(particles, time, domains.ranks());
        if (domains.distributed()) forces_.resume_costs(domains.comm(), domains.costs());
    }

  private:
    bool attempt(ParticleSet& particles, ForceStep step, std::uint64_t number, bool known, Domains& domains,
                 Phases& phases);
    bool compute_all(ParticleSet& particles, ForceStep step, std::uint64_t number, bool known, Domains& domains,
                     Phases& phases);
    bool may_fail_after_writing(const Domains& domains) const;
    std::span<const double> accelerations_of(const ParticleSet& particles);

    AllForces forces_;
    RowOrder rows_;
    Spares spares_;
    std::optional<bool> rearranged_;  // set after a failure: true if rows have moved
    SavedColumns before_;             // results, and the other columns that forces compute from their last values
    std::vector<double> previous_;    // magnitude of each row's last mutual acceleration
};

}  // namespace trellis
