// The functions of an interaction that is compiled at run time, by the names that compilers give them.
#pragma once

#include <iterator>
#include <string>

#include "trellis/forces/run_time/run_time_pair.hpp"

namespace trellis {

// Calls visit(function, name) with each pointer to a function of the pair, always in the same order.
template <class Visit>
void each_function(RunTimePair& pair, const Visit& visit) {
    const auto loops = [&](auto& of_precision, const std::string& precision) {
        visit(of_precision.add_pairs, "add_pairs_" + precision);
        visit(of_precision.add_own, "add_own_" + precision);
        visit(of_precision.fill_rows, "fill_rows_" + precision);
        visit(of_precision.cluster, "cluster_" + precision);
        visit(of_precision.radial, "radial_" + precision);
    };
    loops(pair.single_precision, "single");
    loops(pair.double_precision, "double");
    for (std::size_t k = 0; k < std::size(pair.tiles.loops); ++k)
        visit(pair.tiles.loops[k], "tile_" + std::to_string(k));
    visit(pair.tiles.finish, "finish_tile");
    visit(pair.pair, "pair");
    visit(pair.finish, "finish");
    visit(pair.radial, "radial_of_one");
    visit(pair.far_field, "far_field");
}

}  // namespace trellis
