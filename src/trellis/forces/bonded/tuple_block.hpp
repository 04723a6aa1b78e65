// Up to tuples_at_once tuples side by side, as TupleFunction::evaluate takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/forces/bonded/tuple_function.hpp"
#include "trellis/lists/tuples/members.hpp"
#include "trellis/particles/nearest_images.hpp"

namespace trellis {

class TupleBlock {
  public:
    // members: the number of particles in a tuple. function must outlive the block.
    TupleBlock(const TupleFunction& function, std::size_t members);

    // Sets the step of tuple t from its member s to the next one.
    void set_step(std::size_t t, std::size_t s, const Vec3<double>& step);
    // Sets the number of member m of tuple t in column c of the function.
    void set_value(std::size_t t, std::size_t c, std::size_t m, double value);
    // Gives tuple t the values of tuple `in_list` of the list.
    void set_values(std::size_t t, std::size_t in_list);
    // Makes it tuple `in_list` of the list, with members at the positions at(m).
    template <class At>
    void set(std::size_t t, std::size_t in_list, const NearestImage& nearest, const At& at) {
        for (std::size_t s = 0; s < steps_; ++s) set_step(t, s, nearest.of(at(s + 1) - at(s)));
        set_values(t, in_list);
    }
    // Makes it tuple `in_list` of the list, with members in these slots.
    void set(std::size_t t, std::size_t in_list, const NearestImage& nearest, const Members& members,
             std::span<const std::uint32_t> slots) {
        set(t, in_list, nearest, [slots, at = members.positions()](std::size_t m) { return at(slots[m]); });
        for (std::size_t c = 0; c < function_.columns.size(); ++c)
            for (std::size_t m = 0; m < slots.size(); ++m) set_value(t, c, m, members.value(c, slots[m]));
    }
    // Computes the first `count` tuples, at least one.
    void evaluate(std::size_t count);
    // True if the energies and derivatives of the first `count` tuples are finite.
    bool finite(std::size_t count) const;

    double energy(std::size_t t) const { return outcome_[t]; }
    // The number of parts of a tuple: the force on each member, a member's share of 2 energies, and of 2 virials.
    static constexpr std::size_t parts_of(std::size_t members) { return 3 * members + 2; }
    // Writes the parts of tuple t.
    void copy_parts(std::size_t t, double* parts) const;
    // Adds the virial tensor of tuple t, times a share, to one by rows.
    void add_virial(std::size_t t, double share, std::array<Vec3<double>, 3>& sum) const;

  private:
    template <std::size_t steps>
    void copy_parts_of(std::size_t t, double* parts) const;

    const TupleFunction& function_;
    std::size_t steps_;  // of each tuple: its members but one
    std::vector<double> given_, outcome_;
};

}  // namespace trellis
