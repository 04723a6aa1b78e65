// Makes an ensemble of an interaction of your own: of forces/interaction.hpp, all pairs, or of forces/short_range.hpp
// with Search = Cutoff.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "trellis/ensembles/ensemble.hpp"
#include "trellis/ensembles/kernels/make_system_kernels.hpp"

namespace trellis {

// interaction: the same for all systems.
template <class I>
Ensemble ensemble_of(const I& interaction, std::span<const ParticleSet* const> particles,
                     std::span<const SystemSettings> settings, const Devices& devices = {}) {
    if constexpr (check_fields<I>()) static_cast<void>(check_formula<I>());
    std::vector<std::byte> interactions(particles.size() * sizeof(I));
    for (std::size_t k = 0; k < particles.size(); ++k)
        std::memcpy(interactions.data() + k * sizeof(I), &interaction, sizeof(I));
    return Ensemble(make_system_kernels<I>(), interactions, particles, settings, devices);
}

}  // namespace trellis
