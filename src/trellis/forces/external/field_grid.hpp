// A one-body force as a grid kernel (devices/grid_kernel.hpp): an element is one particle that stays on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/external/one_body.hpp"

namespace trellis {

template <class F>
    requires suits_device<F>
struct FieldGrid {
    F formula;
    std::uint32_t first;  // 1 for the first of several fields; a bool could not have any byte that a client sends
    const Vec3<double>* positions = nullptr;
    Vec3<double>* accelerations = nullptr;
    Vec3<double>* external_accelerations = nullptr;
    double* potentials = nullptr;
    auto arrays() { return std::tie(positions, accelerations, external_accelerations, potentials); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements, elements, elements); }

    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        Record<typename F::Target, double> i{};
        i[fields::position] = positions[k];
        Record<typename F::Result, double> sum{};
        formula(i, sum);
        accelerations[k] += sum[fields::acceleration];
        external_accelerations[k] =
            sum[fields::acceleration] + (first != 0 ? Vec3<double>{0, 0, 0} : external_accelerations[k]);
        potentials[k] = sum[fields::external_potential] + (first != 0 ? 0.0 : potentials[k]);
    }
};

}  // namespace trellis
