// The contents of all cells, computed bottom-up: weight, centre of weight, sphere and box around the particles, and
// sums of fields. They are the monopole of every interaction; higher multipoles are in
// forces/tree/expansions/expansion.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"
#include "trellis/tree/sorted_columns.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

class Moments {
  public:
    // Components 0 to 2 of columns are the position. The centre is weighted with the absolute value of component
    // `weight`
    // (>= 3); cells whose weight is zero count their particles equally. softening: the component (>= 3) that is a
    // softening, if any.
    void compute(const Tree& tree, const SortedColumns& columns, std::size_t weight,
                 std::optional<std::size_t> softening = std::nullopt);

    // Adds the contents of imported cells, after compute. columns contain their particles, too. Imported cells have no
    // bounds, and sums of the imported components only.
    void add_imported(const Tree& tree, const ImportedCells& imported, const SortedColumns& columns);

    // The spheres and boxes of all cells.
    const std::vector<Sphere>& spheres() const { return spheres_; }
    const std::vector<Bounds>& bounds() const { return bounds_; }
    // The sums of the absolute weights.
    const std::vector<double>& weights() const { return weights_; }
    // The sums of component c >= 3, such as the masses of superparticles; the means of a softening.
    const double* sum(std::size_t c) const { return sums_[c - 3].data(); }
    // Empty if no component is a softening.
    const std::vector<CellSoftening>& softenings() const { return softenings_; }

  private:
    CellContents contents(std::size_t cell) const { return {spheres_[cell], bounds_[cell], weights_[cell]}; }
    void set(std::size_t cell, const CellContents& contents);
    void sum(const Cell& cell, std::size_t index, const SortedColumns& columns, std::size_t count);
    // component: the component that is a softening.
    CellSoftening softening_of(const Cell& cell, const SortedColumns& columns, std::size_t component) const;
    void soften(std::size_t cell, std::size_t component, const CellSoftening& softening);

    std::size_t weight_ = 0;
    std::optional<std::size_t> softening_;
    std::vector<Sphere> spheres_;
    std::vector<Bounds> bounds_;
    std::vector<double> weights_;
    std::vector<std::vector<double>> sums_;
    std::vector<CellSoftening> softenings_;
};

}  // namespace trellis
