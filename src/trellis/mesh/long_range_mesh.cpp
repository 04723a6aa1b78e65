#include "trellis/mesh/long_range_mesh.hpp"

#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/mesh/poisson.hpp"

namespace trellis {

void check(const MeshSettings& settings, const Region& region) {
    if (settings.order < 2 || settings.order > 4)
        throw InputError("the order of a mesh's assignment is " + std::to_string(settings.order) +
                         ": allowed are 2 (CIC), 3 (TSC) and 4 (PCS)");
    const MeshGrid grid(region, settings.cells);
    const RealLines<float> lines(grid.cells()[2], 1);
}

template <class T>
LongRangeMesh<T>::LongRangeMesh(std::shared_ptr<Comm> comm, const Region& region, const S2Split& split,
                                const MeshSettings& settings)
    : grid_((check(settings, region), region), settings.cells),
      settings_(settings),
      pencils_(own_site(comm), grid_.cells()),
      exchange_(pencils_.comm(), grid_.cells(), pencils_.boxes().z),
      sites_(std::move(comm), grid_.cells()),
      split_(split),
      green_(green_function<T>(grid_, split, settings.order, pencils_.spectrum_box())) {}

template <class T>
void LongRangeMesh<T>::begin(std::span<const Vec3<double>> positions, std::span<const double> strengths,
                             Phases& phases) {
    std::vector<T> density;
    {
        const PhaseTimer timer(phases, Phase::assign_density);
        patch_ = nodes_around(grid_, settings_.order, positions);
        density = assign<T>(grid_, settings_.order, patch_, positions, strengths);
    }
    const PhaseTimer timer(phases, Phase::exchange_mesh);
    exchange_.begin(patch_, density);
    if (sites_.several()) sites_.begin(exchange_.finish());
}

template <class T>
std::vector<std::complex<T>> LongRangeMesh<T>::spectrum(Phases& phases) {
    std::vector<T> density;
    {
        const PhaseTimer timer(phases, Phase::exchange_mesh);
        density = sites_.several() ? sites_.finish() : exchange_.finish();
    }
    const PhaseTimer timer(phases, Phase::transform_mesh);
    return pencils_.forward(density);
}

template <class T>
std::array<Vec3<double>, 3> LongRangeMesh<T>::finish_virial(Phases& phases) {
    return virial_of_waves(grid_, split_, settings_.order, pencils_.spectrum_box(), spectrum(phases));
}

template <class T>
void LongRangeMesh<T>::finish(Phases& phases) {
    std::vector<std::complex<T>> potential = spectrum(phases);
    {
        const PhaseTimer timer(phases, Phase::transform_mesh);
        solve_poisson(green_, potential);
    }
    field_.resize(patch_.size());
    const auto keep = [&](std::size_t component, const std::vector<T>& values) {
        const PhaseTimer timer(phases, Phase::differentiate_mesh);
        parallel_for(values.size(), [&](std::size_t k) { field_[k][component] = values[k]; });
    };
    keep(0, to_patch(potential, phases));
    for (std::size_t axis = 0; axis < 3; ++axis)
        keep(axis + 1, to_patch(derivative(grid_, axis, pencils_.spectrum_box(), potential), phases));
}

template <class T>
std::vector<T> LongRangeMesh<T>::to_patch(std::vector<std::complex<T>> coefficients, Phases& phases) {
    std::vector<T> owned;
    {
        const PhaseTimer timer(phases, Phase::transform_mesh);
        owned = pencils_.backward(std::move(coefficients));
    }
    const PhaseTimer timer(phases, Phase::exchange_mesh);
    return exchange_.give_back(owned);
}

template <class T>
PotentialAndGradient<double> LongRangeMesh<T>::at(const Vec3<double>& point) const {
    return interpolate(grid_, settings_.order, patch_, field_, point);
}

template class LongRangeMesh<float>;
template class LongRangeMesh<double>;

}  // namespace trellis
