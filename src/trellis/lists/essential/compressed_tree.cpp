#include "trellis/lists/essential/compressed_tree.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/packing/rounding.hpp"

namespace trellis {

namespace {

constexpr int all_digits = 52, all_float_digits = 23;

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// The terms of moments, in the sequence of forces/tree/expansions/expansion.hpp.
struct Term {
    int order;
    int exponent;  // the binary exponent of 2^order / m!
};
std::vector<Term> terms_of(std::size_t count) {
    std::vector<Term> terms;
    for (int order = 0; terms.size() < count; ++order)
        for (int rest = 0; rest <= order; ++rest)
            for (int z = 0; z <= rest; ++z) {
                const double factorials = factorial(order - rest) * factorial(rest - z) * factorial(z);
                terms.push_back({order, exponent_of(std::ldexp(1, order) / factorials)});
            }
    return terms;
}

double largest_coordinate(const Vec3<double>& at) {
    return std::max(std::max(std::abs(at.x), std::abs(at.y)), std::abs(at.z));
}

}  // namespace

CompressedTree::CompressedTree(const EssentialShape& shape, int digits)
    : digits_(digits),
      kinds_(shape.kinds),
      parents_(shape.kinds.size(), 0),
      leaf_counts_(shape.leaf_counts),
      exponents_(shape.kinds.size()) {
    std::size_t child = 1;
    for (std::uint32_t cell = 0; cell < kinds_.size(); ++cell)
        if (kinds_[cell] == CellKind::inner)
            for (const std::size_t end = child + 2; child < end; ++child) parents_[child] = cell;
}

void CompressedTree::write(TreeValues values, ByteWriter& out) {
    out.put(history_.steps());
    widen_spheres(values);
    Outgoing stream(history_, out);
    pass_all(stream, values);
}

void CompressedTree::read(ByteReader& in, TreeValues& values) {
    const auto step = in.get<std::uint32_t>();
    if (step != history_.steps())
        throw RunError("an essential tree of step " + std::to_string(step) + " of its lists has arrived: allowed is " +
                       std::to_string(history_.steps()));
    Incoming stream(history_, in);
    pass_all(stream, values);
}

// Widens spheres, to radii of digits_ digits, so that they contain their particles after both are rounded. Moments are
// in units of the radius, and are rescaled to the new one.
void CompressedTree::widen_spheres(TreeValues& values) const {
    const Digits digits(digits_);
    const auto terms = terms_of(values.moments.size());
    std::size_t closed = 0;
    for (std::size_t cell = 0; cell < kinds_.size(); ++cell) {
        double& radius = values.spheres[cell].radius;
        const double wide = digits.up(radius * (1 + std::ldexp(4, -digits_)));
        const double ratio = radius > 0 ? radius / wide : 1;
        radius = wide;
        if (kinds_[cell] != CellKind::closed) continue;
        double power = 1;
        for (std::size_t m = 0, order = 0; m < terms.size(); ++m) {
            for (; order < static_cast<std::size_t>(terms[m].order); ++order) power *= ratio;
            values.moments[m][closed] *= power;
        }
        ++closed;
    }
}

template <class Stream>
void CompressedTree::pass_all(Stream& stream, TreeValues& values) {
    pass_spheres(stream, values);
    pass_closed(stream, values);
    pass_particles(stream, values);
    history_.end_step();
}

template <class Stream>
void CompressedTree::pass_spheres(Stream& stream, TreeValues& values) {
    auto& spheres = values.spheres;
    const Digits digits(digits_);
    stream.begin(spheres.size());
    for (std::size_t k = 0; k < spheres.size(); ++k)
        spheres[k].radius = stream.pass(digits, spheres[k].radius, k == 0 ? 1.0 : spheres[parents_[k]].radius);
    stream.end();
    for (std::size_t axis = 0; axis < 3; ++axis) spheres[0].centre[axis] = stream.plain(spheres[0].centre[axis]);
    stream.begin(3 * (spheres.size() - 1));
    for (std::size_t k = 0; k < spheres.size(); ++k) {
        const Sphere& parent = spheres[parents_[k]];
        const double farthest = largest_coordinate(parent.centre) + parent.radius;
        exponents_[k] = std::max(exponent_of(spheres[k].radius) - digits_, exponent_of(farthest) - all_digits);
        const Multiples multiples(exponents_[k]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            double& centre = spheres[k].centre[axis];
            centre = k == 0 ? multiples.value(multiples.integer(centre))
                            : stream.pass(multiples, centre, parent.centre[axis]);
        }
    }
    stream.end();
}

template <class Stream>
void CompressedTree::pass_closed(Stream& stream, TreeValues& values) const {
    const std::size_t closed = values.weights.size();
    const Digits all(all_digits);
    stream.begin(closed);
    for (std::size_t k = 0; k < closed; ++k)
        values.weights[k] = stream.pass(all, values.weights[k], k == 0 ? 1.0 : values.weights[k - 1]);
    stream.end();
    for (auto& sums : values.sums) {
        stream.begin(closed);
        for (std::size_t k = 0; k < closed; ++k) sums[k] = stream.pass(all, sums[k], values.weights[k]);
        stream.end();
    }
    for (double CellSoftening::* part : {&CellSoftening::mean, &CellSoftening::smallest, &CellSoftening::largest}) {
        double former = 0;
        stream.begin(values.softenings.size());
        for (CellSoftening& softening : values.softenings)
            former = softening.*part = stream.pass(all, softening.*part, former);
        stream.end();
    }
    const auto terms = terms_of(values.moments.size());
    const Digits monopole(values.single ? all_float_digits : all_digits);
    for (std::size_t m = 0; m < terms.size(); ++m) {
        auto& moments = values.moments[m];
        stream.begin(closed);
        for (std::size_t k = 0; k < closed; ++k) {
            const int exponent = exponent_of(values.weights[k]) + terms[m].exponent - digits_;
            moments[k] = m == 0 ? stream.pass(monopole, moments[k], values.weights[k])
                                : stream.pass(Multiples(exponent), moments[k], 0.0);
        }
        stream.end();
    }
}

template <class Stream>
void CompressedTree::pass_particles(Stream& stream, TreeValues& values) const {
    for (std::size_t c = 0; c < values.components.size(); ++c) {
        auto& component = values.components[c];
        double former = component.empty() || c < 3 || history_.steps() > 0 ? 0 : stream.plain(component[0]);
        stream.begin(component.size());
        for (std::size_t cell = 0, leaf = 0, slot = 0; cell < kinds_.size(); ++cell) {
            if (kinds_[cell] != CellKind::leaf) continue;
            const Multiples multiples(exponents_[cell]);
            for (const std::size_t end = slot + leaf_counts_[leaf++]; slot < end; ++slot) {
                double& value = component[slot];
                value = c < 3 ? stream.pass(multiples, value, values.spheres[cell].centre[c])
                              : stream.pass(Digits(all_digits), value, former);
                former = value;
            }
        }
        stream.end();
    }
}

void write_compressed(const EssentialShape& shape, int digits, ByteWriter& out) {
    const Digits rounded(digits);
    std::vector<std::int64_t> kinds, counts, sizes;
    for (const CellKind kind : shape.kinds) kinds.push_back(static_cast<std::int64_t>(kind));
    for (const std::uint32_t count : shape.leaf_counts) counts.push_back(count);
    for (const double size : shape.sizes) sizes.push_back(rounded.integer(rounded.up(size)));
    for (std::size_t k = sizes.size(); k-- > 1;) sizes[k] -= sizes[k - 1];
    for (const auto* values : {&kinds, &counts, &sizes}) {
        out.put(std::uint64_t{values->size()});
        pack(*values, out);
    }
}

EssentialShape read_compressed_shape(ByteReader& in, int digits) {
    const auto next = [&] {
        std::vector<std::int64_t> values(in.get<std::uint64_t>());
        unpack(in, values);
        return values;
    };
    const Digits rounded(digits);
    EssentialShape shape;
    for (const std::int64_t kind : next()) shape.kinds.push_back(static_cast<CellKind>(kind));
    for (const std::int64_t count : next()) shape.leaf_counts.push_back(static_cast<std::uint32_t>(count));
    std::int64_t size = 0;
    for (const std::int64_t more : next()) shape.sizes.push_back(rounded.value(size += more));
    return shape;
}

}  // namespace trellis
