// Fields of a mesh at charges that ranks have, and how far they are from other fields.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "trellis/mesh/long_range_mesh.hpp"
#include "unit/mesh/wave_sum.hpp"

namespace trellis::mesh_checks {

using wave_sum::Charges;
using PointField = PotentialAndGradient<double>;

inline const Region cube{{0, 0, 0}, {1, 1, 1}};

inline std::shared_ptr<Comm> shared(Comm& comm) {
    return {&comm, [](Comm*) {}};
}

// The numbers of the charges of a rank: its own one modulo the number of ranks.
inline std::vector<std::size_t> dealt_to(const Comm& comm, const Charges& charges) {
    std::vector<std::size_t> numbers;
    for (auto k = static_cast<std::size_t>(comm.rank()); k < charges.positions.size();
         k += static_cast<std::size_t>(comm.size()))
        numbers.push_back(k);
    return numbers;
}

// The field of the charges of all ranks, at those of this one, is written to their positions in all.
template <class T>
void find_field(LongRangeMesh<T>& mesh, const Charges& charges, const std::vector<std::size_t>& numbers,
                std::vector<PointField>& all) {
    Charges own;
    for (const std::size_t k : numbers) {
        own.positions.push_back(charges.positions[k]);
        own.strengths.push_back(charges.strengths[k]);
    }
    Phases phases;
    mesh.begin(own.positions, own.strengths, phases);
    mesh.finish(phases);
    for (const std::size_t k : numbers) all[k] = mesh.at(charges.positions[k]);
}

// Root mean square of the error of the gradient, and of the potential, over that of the exact ones.
struct Errors {
    double gradient, potential;
};
inline Errors errors(const std::vector<PointField>& found, const std::vector<PointField>& exact) {
    std::array<double, 4> error{}, size{};
    for (std::size_t k = 0; k < found.size(); ++k)
        for (std::size_t c = 0; c < 4; ++c) {
            error[c] += (found[k][c] - exact[k][c]) * (found[k][c] - exact[k][c]);
            size[c] += exact[k][c] * exact[k][c];
        }
    return {std::sqrt((error[1] + error[2] + error[3]) / (size[1] + size[2] + size[3])), std::sqrt(error[0] / size[0])};
}

}  // namespace trellis::mesh_checks
