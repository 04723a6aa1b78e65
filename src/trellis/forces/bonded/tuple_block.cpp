#include "trellis/forces/bonded/tuple_block.hpp"

#include <algorithm>

namespace trellis {

TupleBlock::TupleBlock(const TupleFunction& function, std::size_t members)
    : function_(function),
      members_(members),
      steps_(members - 1),
      given_((3 * steps_ + function.values) * tuples_at_once),
      outcome_((1 + 3 * steps_) * tuples_at_once) {}

void TupleBlock::set_step(std::size_t t, std::size_t s, const Vec3<double>& step) {
    for (std::size_t axis = 0; axis < 3; ++axis) given_[(3 * s + axis) * tuples_at_once + t] = step[axis];
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

void TupleBlock::copy_parts(std::size_t t, double* parts) const {
    std::fill_n(parts, 3 * members_, 0.0);
    double virial = 0;
    for (std::size_t s = 0; s < steps_; ++s)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double slope = outcome_[(1 + 3 * s + axis) * tuples_at_once + t];
            parts[3 * s + axis] += slope;
            parts[3 * (s + 1) + axis] -= slope;
            virial -= slope * given_[(3 * s + axis) * tuples_at_once + t];
        }
    const double share = 2 / static_cast<double>(members_);
    parts[3 * members_] = share * energy(t);
    parts[3 * members_ + 1] = share * virial;
}

void TupleBlock::add_virial(std::size_t t, double share, std::array<Vec3<double>, 3>& sum) const {
    for (std::size_t s = 0; s < steps_; ++s)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                sum[a][b] -=
                    share * given_[(3 * s + a) * tuples_at_once + t] * outcome_[(1 + 3 * s + b) * tuples_at_once + t];
}

}  // namespace trellis
