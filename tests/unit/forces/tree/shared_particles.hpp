// Particles that every rank knows, distributed among the ranks, and the results of a force on them.
#pragma once

#include <algorithm>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/domain/cuts.hpp"

namespace trellis {

using namespace fields;

inline Multisection cut_of(const ParticleSet& all, int ranks) {
    std::vector<Sample> samples;
    for (const auto& place : all[position]) samples.push_back({place, 1});
    const Vec3<double> sides = spread(samples);
    return cut(std::move(samples), best_shape(ranks, sides), Region{});
}

// The particles in this rank's domain; id: their row in all.
inline ParticleSet share_of(const ParticleSet& all, const Multisection& cuts, int rank) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < all.size(); ++row)
        if (cuts.owner(all[position][row]) == rank) rows.push_back(row);
    ParticleSet own(rows.size());
    for (const auto& column : all.columns()) {
        const FieldInfo& info = column->info();
        if (!own.has(info.name)) own.add(info);
        for (std::size_t k = 0; k < rows.size(); ++k)
            std::copy_n(column->values() + rows[k] * info.components, info.components,
                        own.column(info.name).values() + k * info.components);
    }
    std::ranges::copy(rows, own[id].begin());
    return own;
}

// One row of results for each id, the same on all ranks.
inline std::vector<std::vector<double>> results_by_id(Comm& comm, const Force& force, const ParticleSet& own,
                                                      std::size_t count) {
    std::vector<std::vector<double>> all(count);
    for (int rank = 0; rank < comm.size(); ++rank) {
        std::vector<double> flat;
        for (std::size_t k = 0; k < own.size() && rank == comm.rank(); ++k) {
            flat.push_back(static_cast<double>(own[id][k]));
            for (const FieldInfo& field : force.results())
                for (std::size_t c = 0; c < field.components; ++c)
                    flat.push_back(own.column(field.name).values()[k * field.components + c]);
        }
        std::vector<Message> messages;
        const auto bytes = std::as_bytes(std::span<const double>(flat));
        for (int to = 0; to < comm.size() && rank == comm.rank(); ++to)
            messages.push_back({to, {bytes.begin(), bytes.end()}});
        std::size_t width = 1;
        for (const FieldInfo& field : force.results()) width += field.components;
        for (const Message& message : comm.begin_exchange(std::move(messages))->finish()) {
            std::vector<double> values(message.bytes.size() / sizeof(double));
            if (!values.empty()) std::memcpy(values.data(), message.bytes.data(), message.bytes.size());
            for (std::size_t k = 0; k < values.size(); k += width)
                all[static_cast<std::size_t>(values[k])].assign(
                    values.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    values.begin() + static_cast<std::ptrdiff_t>(k + width));
        }
    }
    return all;
}

// Clears the results and computes them.
inline Work compute_shared(Force& force, ParticleSet& own, const ForceStep& step) {
    Phases phases;
    for (const FieldInfo& field : force.results())
        std::fill_n(own.column(field.name).values(), own.size() * field.components, 0.0);
    force.dispatch(own, step, phases);
    return force.retrieve(own, phases);
}

}  // namespace trellis
