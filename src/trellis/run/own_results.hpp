// With individual time steps: what forces at particles' own steps add to results, in columns beside the sums of all
// forces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/particles/saved_columns.hpp"

namespace trellis {

// True for a force that acts on each particle at the ends of the particle's steps.
inline bool acts_at_own_steps(const Force& force) { return !force.sums_over_pairs() && force.computes_active_rows(); }

// The name of the column with the part of a result.
std::string own_result(std::string_view result);

class OwnResults {
  public:
    // Adds the columns for these results of forces.
    void add(ParticleSet& particles, std::span<const FieldInfo> results);

    void clear(ParticleSet& particles) const;
    // Force::retrieve of all rows; the parts have the same added.
    Work retrieve(Force& force, ParticleSet& particles, Phases& phases) const;
    // Calls `compute`, by which the results of active rows become those of forces at particles' own steps. These
    // become the parts, and the results are as before.
    void compute(ParticleSet& particles, const ActiveRows& active, const std::function<void()>& compute);
    // Adds the part of a result, of these rows, to sums: its components of each of them.
    void add(const ParticleSet& particles, std::span<const std::uint32_t> rows, std::string_view result,
             std::span<double> sums) const;

  private:
    std::vector<std::string> results_;
    std::vector<std::vector<double>> before_;  // of each result the values of active rows, while others are computed
};

}  // namespace trellis
