// Up to tuples_at_once tuples side by side, as TupleFunction::evaluate takes them.
#pragma once

#include <cstddef>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/forces/bonded/tuple_function.hpp"

namespace trellis {

class TupleBlock {
  public:
    // members: the number of particles in a tuple. function must outlive the block.
    TupleBlock(const TupleFunction& function, std::size_t members);

    // Sets the step of tuple t from its member s to the next one.
    void set_step(std::size_t t, std::size_t s, const Vec3<double>& step);
    // Gives tuple t the values of tuple `in_list` of the list.
    void set_values(std::size_t t, std::size_t in_list);
    // Computes the first `count` tuples, at least one.
    void evaluate(std::size_t count);

    double energy(std::size_t t) const { return outcome_[t]; }
    // The number of a tuple's parts: the force on each member, its share of 2 energies, and of 2 virials.
    std::size_t parts() const { return 3 * members_ + 2; }
    // Writes the parts of tuple t.
    void copy_parts(std::size_t t, double* parts) const;

  private:
    const TupleFunction& function_;
    std::size_t members_, steps_;  // of each tuple
    std::vector<double> given_, outcome_;
};

}  // namespace trellis
