#include "trellis/forces/run_time/far_field/expansion_text.hpp"

#include "trellis/forces/run_time/far_field/written.hpp"
#include "trellis/forces/tree/expansions/cell_layout.hpp"
#include "trellis/forces/tree/expansions/l2l.hpp"
#include "trellis/forces/tree/expansions/l2p.hpp"
#include "trellis/forces/tree/expansions/m2l.hpp"
#include "trellis/forces/tree/expansions/m2p.hpp"

namespace trellis {

namespace {

// The potential as an interaction whose radial derivatives are those of the function radial.
struct WrittenField {
    using Target = Fields<Position, Mass>;  // not read
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    static constexpr bool strength_has_one_sign = false;

    // Not called: written numbers alone are. See Expandable.
    template <int N>
    std::array<double, N> radial(double r2, double unit2) const;

    template <int N>
    std::array<Written, N> radial_of_vectors(const Written& r2, const Written& unit2) const {
        Writing& writing = Writing::current();
        writing.line("real g[" + std::to_string(highest_order + 2) + "];");
        writing.line("radial(once, " + writing[r2] + ", " + writing[unit2] + ", g);");
        return writing.array<N>("g");
    }
};

// The row of a cell, by the name of its pointer.
template <int Order>
class WrittenCell {
  public:
    WrittenCell(Writing& writing, const std::string& name)
        : values_(writing.array<RowLayout<Order>::used>(name)), row_(values_.data()) {}
    WrittenCell(const WrittenCell&) = delete;
    WrittenCell& operator=(const WrittenCell&) = delete;

    const CellRow<Order, Written>& row() const { return row_; }

  private:
    std::array<Written, RowLayout<Order>::used> values_;
    CellRow<Order, Written> row_;
};

std::string function(const std::string& name, const std::string& parameters, const Writing& writing) {
    return "FUNCTION void " + name + "(" + parameters + ")\n{\n" + writing.text() + "}\n\n";
}

// Adds values to those of an array.
template <class Values>
void add_to(Writing& writing, const std::string& array, const Values& values) {
    for (std::size_t k = 0; k < values.size(); ++k)
        writing.line(array + "[" + std::to_string(k) + "] += " + writing[values[k]] + ";");
}

void add_field(Writing& writing, const FieldValue<Written>& value) {
    add_to(writing, "field", std::array{value.phi, value.gradient.x, value.gradient.y, value.gradient.z});
}

Vec3<Written> place_of(Writing& writing) {
    const auto place = writing.array<3>("place");
    return {place[0], place[1], place[2]};
}

template <int Order>
std::string add_local_text(bool single) {
    Writing writing(single);
    const WrittenCell<Order> cell(writing, "cell"), own(writing, "own");
    Terms<Written, Order> sums{};
    add_local<Order>(WrittenField(), cell.row(), own.row().centre(), own.row().unit(), Written(), sums);
    add_to(writing, "terms", sums);
    return function("add_local", "const Once once, GLOBAL const real* cell, GLOBAL const real* own, real* terms",
                    writing);
}

template <int Order>
std::string add_moved_local_text(bool single) {
    Writing writing(single);
    const WrittenCell<Order> around(writing, "around"), own(writing, "own");
    const auto local = writing.array<terms(Order)>("theirs");
    const Written per_unit = MathOf<Written>::constant(1) / around.row().unit();
    add_to(writing, "terms",
           shift_local<Order, Written>(local.data(), difference(own.row().centre(), around.row().centre()) * per_unit,
                                       own.row().unit() * per_unit));
    return function("add_moved_local",
                    "GLOBAL const real* theirs, GLOBAL const real* around, GLOBAL const real* own, real* terms",
                    writing);
}

template <int Order>
std::string add_field_of_cell_text(bool single) {
    Writing writing(single);
    const WrittenCell<Order> cell(writing, "cell"), own(writing, "own");
    const Vec3<Written> d = cell.row().from_centres(own.row().centre()) + place_of(writing);
    add_field(writing, field_of_cells<Order>(WrittenField(), d, Written(), cell.row().unit(),
                                             cell.row().moments(MathOf<Written>::constant(1))));
    return function("add_field_of_cell",
                    "const Once once, GLOBAL const real* cell, GLOBAL const real* own, const real* place, real* field",
                    writing);
}

template <int Order>
std::string add_field_of_local_text(bool single) {
    Writing writing(single);
    const WrittenCell<Order> own(writing, "own");
    const auto local = writing.array<terms(Order)>("terms");
    const Written per_unit = MathOf<Written>::constant(1) / own.row().unit();
    FieldValue<Written> value = evaluate_local<Order, Written>(local, place_of(writing) * per_unit);
    value.gradient = value.gradient * per_unit;
    add_field(writing, value);
    return function("add_field_of_local", "const real* terms, GLOBAL const real* own, const real* place, real* field",
                    writing);
}

}  // namespace

ExpansionSizes expansion_sizes(int order, bool single) {
    return at_order(order, [single](auto constant) {
        return ExpansionSizes{static_cast<std::size_t>(terms(constant)),
                              single ? row_stride<constant, float> : row_stride<constant, double>,
                              RowLayout<constant>::centre};
    });
}

std::string locals_functions(int order, bool single) {
    return at_order(order, [single](auto constant) { return add_local_text<constant>(single); });
}

std::string far_field_functions(int order, bool single) {
    return at_order(order, [single](auto constant) {
        return add_moved_local_text<constant>(single) + add_field_of_cell_text<constant>(single) +
               add_field_of_local_text<constant>(single);
    });
}

}  // namespace trellis
