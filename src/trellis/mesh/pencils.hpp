// The Fourier transform of a mesh that is spread over ranks in pencils: along z, then y, then x, with a transpose
// before y and before x. A transpose takes about sqrt(number of ranks) messages from each rank.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "trellis/mesh/lines/lines.hpp"
#include "trellis/mesh/node_box.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The boxes of all ranks at each stage; z, y, x: the axis along which they are whole. Pencils along y and x hold
// complex coefficients, n / 2 + 1 along z.
struct PencilBoxes {
    std::vector<NodeBox> z, z_spectrum, y, x;
};

// Ranks are laid out in rows and columns, as nearly square as their number allows; those beyond the number of lines
// have empty boxes.
PencilBoxes pencil_boxes(int ranks, const Nodes& cells);

template <class T>
class Pencils {
  public:
    Pencils(std::shared_ptr<Comm> comm, const Nodes& cells);

    const PencilBoxes& boxes() const { return boxes_; }
    const NodeBox& real_box() const { return boxes_.z[rank()]; }
    const NodeBox& spectrum_box() const { return boxes_.x[rank()]; }
    const std::shared_ptr<Comm>& comm() const { return comm_; }

    // Collective: the values of real_box to the coefficients of spectrum_box, sum of values exp(-2 pi i k n / cells).
    std::vector<std::complex<T>> forward(const std::vector<T>& values) const;
    // The transform back, not normalised: both together multiply by the number of cells.
    std::vector<T> backward(std::vector<std::complex<T>> coefficients) const;

  private:
    std::size_t rank() const { return static_cast<std::size_t>(comm_->rank()); }

    std::shared_ptr<Comm> comm_;
    PencilBoxes boxes_;
    RealLines<T> z_;
    ComplexLines<T> y_forward_, y_backward_, x_forward_, x_backward_;
};

}  // namespace trellis
