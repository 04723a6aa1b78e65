#include "trellis/particles/particle_subset.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Calls copy(index in the subset's column, index in the column of all) for each value of the rows.
template <class Copy>
void for_values(std::span<const std::uint32_t> rows, std::size_t components, const Copy& copy) {
    parallel_for(rows.size() * components,
                 [&](std::size_t k) { copy(k, rows[k / components] * components + k % components); });
}

}  // namespace

bool ParticleSubset::choose(const ParticleSet& all, std::vector<std::uint32_t> rows) {
    if (rows == rows_ && arrangement_ == all.arrangement()) return false;
    const bool others = !rows_.empty();
    rows_ = std::move(rows);
    arrangement_ = all.arrangement();
    particles_.replace_rows({}, rows_.size());
    return others;
}

void ParticleSubset::gather(const ParticleSet& all) {
    particles_.set_region(all.region());
    for (const auto& column : all.columns()) gather(all, column->info().name);
}

void ParticleSubset::gather(const ParticleSet& all, const std::string& column) {
    const Column& from = all.column(column);
    Column& to = particles_.has(column) ? particles_.column(column) : particles_.add(from.info());
    for_values(rows_, from.info().components,
               [&](std::size_t subset, std::size_t whole) { to.integers()[subset] = from.integers()[whole]; });
}

void ParticleSubset::scatter(const std::string& column, ParticleSet& all) const {
    const Column& from = particles_.column(column);
    Column& to = all.column(column);
    for_values(rows_, from.info().components,
               [&](std::size_t subset, std::size_t whole) { to.integers()[whole] = from.integers()[subset]; });
}

}  // namespace trellis
