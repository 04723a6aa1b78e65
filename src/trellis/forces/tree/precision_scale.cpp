#include "trellis/forces/tree/precision_scale.hpp"

#include <cmath>
#include <utility>

namespace trellis {

void PrecisionScale::set_alone(ListedTree& listed, std::span<const double> errors) {
    if (errors.empty()) return;
    Scale scale = listed.scale();
    scale.tolerance = scale_of(part_of(listed, errors)).tolerance;
    listed.set_scale(scale);
}

void PrecisionScale::begin(ListedTree& listed, std::span<const double> errors, Comm& comm) {
    if (exchange_) exchange_->finish();  // the scale of lists that were not used
    exchange_ = std::make_unique<Exchange>(comm, part_of(listed, errors), &join);
    if (exchange_->under_way() && of_all_) return listed.set_scale(*of_all_);
    const bool of_sites = exchange_->under_way();
    const Scale known = scale_of(std::exchange(exchange_, nullptr)->finish());
    if (of_sites) of_all_ = known;
    listed.set_scale(known);
}

const Scale& PrecisionScale::finish() {
    of_all_ = scale_of(std::exchange(exchange_, nullptr)->finish());
    return *of_all_;
}

PrecisionScale::Part PrecisionScale::join(const Part& a, const Part& b) {
    Part both = a.any ? a : b;
    if (a.any && b.any) {
        both.extent = trellis::join(a.extent, b.extent);
        both.weight = a.weight + b.weight;
    }
    both.squares = a.squares + b.squares;
    both.errors = a.errors + b.errors;
    return both;
}

PrecisionScale::Part PrecisionScale::part_of(const ListedTree& listed, std::span<const double> errors) {
    Part own;
    if (listed.columns().size() > 0) {
        own.extent = listed.moments().bounds()[0];
        own.weight = listed.moments().weights()[0];
        own.any = true;
    }
    own.errors = static_cast<double>(errors.size());
    for (const double error : errors) own.squares += error * error;
    return own;
}

Scale PrecisionScale::scale_of(const Part& all) {
    Scale scale;
    if (all.any) {
        scale.side = largest(all.extent.high - all.extent.low);
        scale.weight = all.weight;
    }
    if (all.errors > 0) scale.tolerance = std::sqrt(all.squares / all.errors);
    return scale;
}

}  // namespace trellis
