// The scale of the particles of all ranks, on which the precision of a force depends.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class PrecisionScale {
  public:
    // Gives a tree just built, of a rank alone, the tolerance of its scale. errors: see begin.
    static void set_alone(ListedTree& listed, std::span<const double> errors);

    // Finds the scale of a tree just built, on all ranks, and gives it to the tree. errors: that the particles can
    // bear; empty: they are no part of the scale. Between sites the scale travels with other messages until finish, and
    // the last one stands for it. Collective.
    void begin(ListedTree& listed, std::span<const double> errors, Comm& comm);
    bool under_way() const { return exchange_ != nullptr; }
    // Waits for the scale that is under way. Collective.
    const Scale& finish();

  private:
    // The share of one rank, or of several.
    struct Part {
        Extent extent;
        double weight = 0;
        bool any = false;                // it has particles
        double squares = 0, errors = 0;  // sum of the squares of the errors that particles can bear, and their number
    };
    static Part join(const Part& a, const Part& b);
    static Part part_of(const ListedTree& listed, std::span<const double> errors);
    static Scale scale_of(const Part& all);

    using Exchange = AsyncReduction<Part, decltype(&join)>;

    // The scale of all ranks, when lists were made last between sites. A level of individual steps, of one site alone,
    // leaves it, so that all sites begin with the same.
    std::optional<Scale> of_all_;
    std::unique_ptr<Exchange> exchange_;  // null: the scale is known
};

}  // namespace trellis
