// Constant pressure in a simulation: the moves of its volume, when they are due, and the account of their energy.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/integrate/barostats/volume_rule.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// Throws InputError, "a barostat is given, but " and the problem, if it is not allowed.
void check_barostat(bool allowed, const std::string& problem);
// The same for a box that is not periodic along all axes.
void check_has_volume(const Region& region);

class VolumeMoves {
  public:
    // particles: their number on all ranks. Throws InputError for settings out of range.
    VolumeMoves(const Barostat& barostat, double particles);

    // True if a move is to be tried between step number `steps` and the next one.
    bool due(std::uint64_t steps) const { return steps > 0 && steps % barostat_.every == 0; }
    VolumeDraw draw(std::uint64_t steps) const { return {barostat_, steps}; }
    // Decides a move and counts it. temperature: k T.
    bool accepts(const VolumeMove& move, double temperature, double chance);

    // The energy that accepted moves have taken from the particles: its sum with that of particles and thermostat is
    // conserved.
    double energy() const { return energy_; }

    // The state for a checkpoint, the same on all ranks: moves that were tried, moves that were accepted, and the
    // energy. restore throws InputError for a state of another length.
    std::vector<double> state() const;
    void restore(std::span<const double> state);

  private:
    Barostat barostat_;
    double particles_;
    double energy_ = 0;
};

}  // namespace trellis
