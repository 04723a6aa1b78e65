#include "trellis/run/force_input.hpp"

#include <algorithm>

#include "trellis/particles/checksum.hpp"

namespace trellis {

void ForceInput::add(const Force& force) {
    for (std::string& name : force.reads())
        if (std::ranges::find(columns_, name, &Noted::name) == columns_.end()) columns_.push_back({std::move(name), 0});
}

void ForceInput::note(const ParticleSet& particles) {
    for (Noted& column : columns_) column.checksum = checksum_in(particles, column.name);
    region_ = particles.region();
}

bool ForceInput::changed(const ParticleSet& particles) const {
    return region_ != particles.region() || std::ranges::any_of(columns_, [&](const Noted& column) {
               return column.checksum != checksum_in(particles, column.name);
           });
}

// Forces may read columns that are not there: those of types, for example.
std::uint64_t ForceInput::checksum_in(const ParticleSet& particles, const std::string& name) {
    return particles.has(name) ? checksum(particles.column(name)) : 0;
}

}  // namespace trellis
