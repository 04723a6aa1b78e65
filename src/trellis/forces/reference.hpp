// Direct summation: the oracle with which every force is compared.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/base/math.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Reads a particle's fields from their columns.
template <class List>
struct RowReader;

template <class... F>
struct RowReader<Fields<F...>> {
    explicit RowReader(const ParticleSet& particles) : columns{particles.column(F::name).values()...} {}

    Record<Fields<F...>, double> operator()(std::size_t row) const {
        Record<Fields<F...>, double> record;
        double flat[Fields<F...>::components];
        std::size_t number = 0, field = 0;
        const auto read = [&](std::size_t width) {
            for (std::size_t c = 0; c < width; ++c) flat[number++] = columns[field][row * width + c];
            ++field;
        };
        (read(F::components), ...);
        record.each_component([&](double& value, std::size_t c) { value = flat[c]; });
        return record;
    }

    const double* columns[sizeof...(F)];
};

// See InteractionKernels::reference: pairs are summed one by one, in the order of the rows.
template <class I>
void reference_sum(const void* interaction_data, const ParticleSet& source_set, const ParticleSet& target_set,
                   std::uint32_t row, std::int64_t self, double* result) {
    const I& interaction = *static_cast<const I*>(interaction_data);
    const RowReader<typename I::Target> targets(target_set);
    const RowReader<typename I::Source> sources(source_set);
    Record<typename I::Result, double> sum;
    sum.each_component([](double& value, std::size_t) { value = 0; });
    const auto target = targets(row);
    for (std::size_t j = 0; j < source_set.size(); ++j)
        if (static_cast<std::int64_t>(j) != self) interaction(target, sources(j), sum);
    if constexpr (requires { interaction.finish(sum); }) interaction.finish(sum);
    sum.each_component([&](double& value, std::size_t c) { result[c] = value; });
}

TRELLIS_ISA_END
}  // namespace trellis
