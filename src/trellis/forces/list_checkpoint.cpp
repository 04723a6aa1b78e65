#include "trellis/forces/list_checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double* add(ParticleSet& particles, const FieldInfo& info) {
    if (particles.has(info.name)) return particles.column(info.name).values();
    double* values = particles.add(info).values();
    std::fill_n(values, particles.size() * info.components, nothing);
    return values;
}

}  // namespace

void ListCheckpoint::attach(ParticleSet& particles, std::size_t number, const FieldInfo& limit) {
    attach(particles, number, "_list_position");
    limits_ = limit.name + "_" + std::to_string(number);
    add(particles, {limits_, limit.unit, limit.meaning, 1});
}

void ListCheckpoint::attach(ParticleSet& particles, std::size_t number, const std::string& positions) {
    positions_ = positions + "_" + std::to_string(number);
    add(particles, {positions_, Position::unit, "position when the interaction lists were made", 3});
}

void ListCheckpoint::note(ParticleSet& particles, std::span<const double> limits) {
    const double* now = particles.column(Position::name).values();
    double* positions = particles.column(positions_).values();
    parallel_for(3 * particles.size(), [&](std::size_t k) { positions[k] = now[k]; });
    if (limits_.empty()) return;
    double* noted = particles.column(limits_).values();
    parallel_for(particles.size(), [&](std::size_t row) { noted[row] = limits.empty() ? nothing : limits[row]; });
}

void ListCheckpoint::note_none(ParticleSet& particles) {
    std::fill_n(particles.column(positions_).values(), 3 * particles.size(), nothing);
}

bool ListCheckpoint::noted(const ParticleSet& particles) const {
    return particles.size() > 0 && !std::isnan(particles.column(positions_).values()[0]);
}

std::span<const double> ListCheckpoint::limits(const ParticleSet& particles) const {
    if (particles.size() == 0) return {};
    const double* values = particles.column(limits_).values();
    return {values, std::isnan(values[0]) ? 0 : particles.size()};
}

std::vector<std::string> ListCheckpoint::columns() const {
    std::vector<std::string> names;
    for (const std::string& name : {positions_, limits_})
        if (!name.empty()) names.push_back(name);
    return names;
}

}  // namespace trellis
