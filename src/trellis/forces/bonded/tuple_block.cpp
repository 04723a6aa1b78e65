#include "trellis/forces/bonded/tuple_block.hpp"

#include <algorithm>

#include "trellis/particles/finite.hpp"

namespace trellis {

TupleBlock::TupleBlock(const TupleFunction& function, std::size_t members)
    : function_(function),
      steps_(members - 1),
      given_((3 * steps_ + function.values + members * function.columns.size()) * tuples_at_once),
      outcome_((1 + 3 * steps_) * tuples_at_once) {}

void TupleBlock::set_step(std::size_t t, std::size_t s, const Vec3<double>& step) {
    for (std::size_t axis = 0; axis < 3; ++axis) given_[(3 * s + axis) * tuples_at_once + t] = step[axis];
}

void TupleBlock::set_value(std::size_t t, std::size_t c, std::size_t m, double value) {
    given_[(3 * steps_ + function_.values + c * (steps_ + 1) + m) * tuples_at_once + t] = value;
}

void TupleBlock::set_values(std::size_t t, std::size_t in_list) {
    const double* values = function_.of_each_tuple.data() + in_list * function_.values;
    for (std::size_t v = 0; v < function_.values; ++v) given_[(3 * steps_ + v) * tuples_at_once + t] = values[v];
}

// The last vector is filled up with copies of the last tuple, whose outcome is not used.
void TupleBlock::evaluate(std::size_t count) {
    const std::size_t padded = (count + 7) / 8 * 8;
    for (std::size_t first = 0; first < given_.size(); first += tuples_at_once)
        std::fill(&given_[first] + count, &given_[first] + padded, given_[first + count - 1]);
    function_.evaluate(function_.parameters.data(), given_.data(), outcome_.data(), padded);
}

bool TupleBlock::finite(std::size_t count) const {
    bool all = true;
    for (std::size_t first = 0; first < outcome_.size(); first += tuples_at_once)
        all &= all_finite({&outcome_[first], count});
    return all;
}

void TupleBlock::copy_parts(std::size_t t, double* parts) const {
    switch (steps_) {
        case 1:
            return copy_parts_of<1>(t, parts);
        case 2:
            return copy_parts_of<2>(t, parts);
        default:
            return copy_parts_of<3>(t, parts);
    }
}

// steps: a constant, so that the loops are unrolled.
template <std::size_t steps>
void TupleBlock::copy_parts_of(std::size_t t, double* parts) const {
    const double *step = given_.data() + t, *slope = outcome_.data() + tuples_at_once + t;
    constexpr double share = 2.0 / (steps + 1);
    constexpr std::size_t last = 3 * (steps - 1);
    double virial = 0;
    for (std::size_t c = 0; c < 3 * steps; ++c) virial -= slope[c * tuples_at_once] * step[c * tuples_at_once];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        parts[axis] = slope[axis * tuples_at_once];
        for (std::size_t c = axis; c < last; c += 3)
            parts[c + 3] = slope[(c + 3) * tuples_at_once] - slope[c * tuples_at_once];
        parts[3 * steps + axis] = -slope[(last + axis) * tuples_at_once];
    }
    parts[3 * steps + 3] = share * energy(t);
    parts[3 * steps + 4] = share * virial;
}

void TupleBlock::add_virial(std::size_t t, double share, std::array<Vec3<double>, 3>& sum) const {
    for (std::size_t s = 0; s < steps_; ++s)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                sum[a][b] -=
                    share * given_[(3 * s + a) * tuples_at_once + t] * outcome_[(1 + 3 * s + b) * tuples_at_once + t];
}

}  // namespace trellis
