#include "trellis/integrate/barostats/volume_moves.hpp"

#include "trellis/base/error.hpp"

namespace trellis {

void check_barostat(bool allowed, const std::string& problem) {
    if (!allowed) throw InputError("a barostat is given, but " + problem);
}

void check_has_volume(const Region& region) {
    check_barostat(region.periodic(0) && region.periodic(1) && region.periodic(2),
                   "the box is not periodic along all axes: it has no volume");
}

VolumeMoves::VolumeMoves(const Barostat& barostat, double particles) : barostat_(barostat), particles_(particles) {
    if (barostat.every < 1) throw InputError("a barostat moves the volume every 0 steps: allowed is 1 or more");
    if (const std::string problem = problem_of(barostat); !problem.empty()) throw InputError(problem);
}

bool VolumeMoves::accepts(const VolumeMove& move, double temperature, double chance) {
    ++barostat_.tried;
    if (!volume_accepted(barostat_, particles_, temperature, move, chance)) return false;
    ++barostat_.accepted;
    energy_ -= move.energy;
    return true;
}

std::vector<double> VolumeMoves::state() const {
    return {static_cast<double>(barostat_.tried), static_cast<double>(barostat_.accepted), energy_};
}

void VolumeMoves::restore(std::span<const double> state) {
    if (state.size() != 3)
        throw InputError("the state of a barostat has " + std::to_string(state.size()) + " numbers, but must have 3");
    barostat_.tried = static_cast<std::uint64_t>(state[0]);
    barostat_.accepted = static_cast<std::uint64_t>(state[1]);
    energy_ = state[2];
}

}  // namespace trellis
