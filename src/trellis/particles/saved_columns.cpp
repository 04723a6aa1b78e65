#include "trellis/particles/saved_columns.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

void SavedColumns::add(const std::string& name) {
    if (std::ranges::find(copies_, name, &Copy::name) == copies_.end()) copies_.push_back({name, {}});
}

void SavedColumns::save(const ParticleSet& particles) {
    for (Copy& copy : copies_) {
        const Column& column = particles.column(copy.name);
        copy.values.resize(column.size() * column.info().components);
        parallel_for(copy.values.size(), [&](std::size_t k) { copy.values[k] = column.integers()[k]; });
    }
}

void SavedColumns::restore(ParticleSet& particles) const {
    for (const Copy& copy : copies_) {
        std::uint64_t* values = particles.column(copy.name).integers();
        parallel_for(copy.values.size(), [&](std::size_t k) { values[k] = copy.values[k]; });
    }
}

}  // namespace trellis
