// The contents of cells, bottom-up: the weight, the centre of that weight, the sphere and the box around it,
// and the sums of fields. The monopole of every interaction; higher multipoles are in
// forces/tree/kernels/expansion.hpp.
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
    // Components 0 to 2 of columns are the position; the centre is weighted with the absolute value of component weight
    // (>= 3). Where that is zero, particles count equally. softening: the component (>= 3) that is a softening, if any.
    void compute(const Tree& tree, const SortedColumns& columns, std::size_t weight,
                 std::optional<std::size_t> softening = std::nullopt);

    // The same for imported cells, after compute. columns contain their particles, too. They have no bounds, and sums
    // of the imported components only.
    void add_imported(const Tree& tree, const ImportedCells& imported, const SortedColumns& columns);

    // One entry a cell.
    const std::vector<Sphere>& spheres() const { return spheres_; }
    const std::vector<Bounds>& bounds() const { return bounds_; }
    // Sum of the absolute weights.
    const std::vector<double>& weights() const { return weights_; }
    // The sum of component c of the columns, c >= 3. A superparticle's mass, for instance. Of softenings, the mean.
    const double* sum(std::size_t c) const { return sums_[c - 3].data(); }
    // None if no component is a softening.
    const std::vector<CellSoftening>& softenings() const { return softenings_; }

  private:
    CellContents contents(std::size_t cell) const { return {spheres_[cell], bounds_[cell], weights_[cell]}; }
    void set(std::size_t cell, const CellContents& contents);
    void sum(const Cell& cell, std::size_t index, const SortedColumns& columns, std::size_t count);
    // component: the one that is a softening.
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
