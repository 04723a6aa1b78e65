#include "trellis/mesh/pencils.hpp"

#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/mesh/redistribute.hpp"

namespace trellis {

namespace {

int largest_divisor_to_root(int number) {
    int divisor = 1;
    for (int d = 1; d * d <= number; ++d)
        if (number % d == 0) divisor = d;
    return divisor;
}

// The beginning of part k of [0, length), cut into `parts` parts.
int begin_of_part(int k, int parts, int length) { return static_cast<int>(static_cast<long long>(length) * k / parts); }

LineShape along_y(const NodeBox& box) { return {box.count[1], box.count[2], box.count[2], 1}; }
LineShape along_x(const NodeBox& box) { return {box.count[0], box.count[2], box.count[1] * box.count[2], 1}; }

template <class T>
void transform_y(const ComplexLines<T>& lines, const NodeBox& box, std::complex<T>* values) {
    if (box.size() == 0) return;
    parallel_tasks(static_cast<std::size_t>(box.count[0]),
                   [&](std::size_t x, int) { lines.run(values + box.at(static_cast<int>(x), 0, 0)); });
}

template <class T>
void transform_x(const ComplexLines<T>& lines, const NodeBox& box, std::complex<T>* values) {
    if (box.size() == 0) return;
    parallel_tasks(static_cast<std::size_t>(box.count[1]),
                   [&](std::size_t y, int) { lines.run(values + box.at(0, static_cast<int>(y), 0)); });
}

}  // namespace

PencilBoxes pencil_boxes(int ranks, const Nodes& cells) {
    const int rows = largest_divisor_to_root(ranks), columns = ranks / rows, coefficients = cells[2] / 2 + 1;
    PencilBoxes boxes;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto part = [&](int k, int parts, int length) {
            const int begin = begin_of_part(k, parts, length);
            return std::pair{begin, begin_of_part(k + 1, parts, length) - begin};
        };
        const int row = rank / columns, column = rank % columns;
        const auto [x, x_count] = part(row, rows, cells[0]);
        const auto [y, y_count] = part(column, columns, cells[1]);
        const auto [z, z_count] = part(column, columns, coefficients);
        const auto [y_of_row, y_of_row_count] = part(row, rows, cells[1]);
        boxes.z.push_back({{x, y, 0}, {x_count, y_count, cells[2]}});
        boxes.z_spectrum.push_back({{x, y, 0}, {x_count, y_count, coefficients}});
        boxes.y.push_back({{x, 0, z}, {x_count, cells[1], z_count}});
        boxes.x.push_back({{0, y_of_row, z}, {cells[0], y_of_row_count, z_count}});
    }
    return boxes;
}

template <class T>
Pencils<T>::Pencils(std::shared_ptr<Comm> comm, const Nodes& cells)
    : comm_(std::move(comm)),
      boxes_(pencil_boxes(comm_->size(), cells)),
      z_(cells[2], real_box().count[1]),
      y_forward_(along_y(boxes_.y[rank()]), true),
      y_backward_(along_y(boxes_.y[rank()]), false),
      x_forward_(along_x(boxes_.x[rank()]), true),
      x_backward_(along_x(boxes_.x[rank()]), false) {}

template <class T>
std::vector<std::complex<T>> Pencils<T>::forward(const std::vector<T>& values) const {
    const NodeBox &real = real_box(), &spectrum = boxes_.z_spectrum[rank()];
    std::vector<std::complex<T>> coefficients(spectrum.size());
    if (real.size() != 0)
        parallel_tasks(static_cast<std::size_t>(real.count[0]), [&](std::size_t plane, int) {
            const int x = static_cast<int>(plane);
            z_.forward(values.data() + real.at(x, 0, 0), coefficients.data() + spectrum.at(x, 0, 0));
        });
    coefficients = redistribute<std::complex<T>>(*comm_, boxes_.z_spectrum, boxes_.y, std::move(coefficients));
    transform_y(y_forward_, boxes_.y[rank()], coefficients.data());
    coefficients = redistribute<std::complex<T>>(*comm_, boxes_.y, boxes_.x, std::move(coefficients));
    transform_x(x_forward_, boxes_.x[rank()], coefficients.data());
    return coefficients;
}

template <class T>
std::vector<T> Pencils<T>::backward(std::vector<std::complex<T>> coefficients) const {
    transform_x(x_backward_, boxes_.x[rank()], coefficients.data());
    coefficients = redistribute<std::complex<T>>(*comm_, boxes_.x, boxes_.y, std::move(coefficients));
    transform_y(y_backward_, boxes_.y[rank()], coefficients.data());
    coefficients = redistribute<std::complex<T>>(*comm_, boxes_.y, boxes_.z_spectrum, std::move(coefficients));
    const NodeBox &real = real_box(), &spectrum = boxes_.z_spectrum[rank()];
    std::vector<T> values(real.size());
    if (real.size() != 0)
        parallel_tasks(static_cast<std::size_t>(real.count[0]), [&](std::size_t plane, int) {
            const int x = static_cast<int>(plane);
            z_.backward(coefficients.data() + spectrum.at(x, 0, 0), values.data() + real.at(x, 0, 0));
        });
    return values;
}

template class Pencils<float>;
template class Pencils<double>;

}  // namespace trellis
