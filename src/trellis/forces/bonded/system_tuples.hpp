// Forces over given tuples among the particles of a small system, whose values are columns: those of a component of all
// particles are side by side. They are computed in double precision by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/forces/bonded/topology.hpp"
#include "trellis/forces/bonded/tuple_block.hpp"

namespace trellis {

class SystemTuples {
  public:
    // ids: those of the particles, in the order of the columns. potentials must outlive this. Throws InputError for a
    // member that no particle is.
    SystemTuples(const TuplePotentials& potentials, std::span<const std::uint64_t> ids);

    // Adds to the accelerations, and returns the potential energy. Components are columns `stride` apart. box: its
    // sides, 0 along an axis without images; each step from a member to the next is to the nearest image.
    double add_forces(const double* position, const double* mass, double* acceleration, std::size_t stride,
                      const Vec3<double>& box);

  private:
    struct Tuples {
        TupleBlock block;
        std::size_t members;              // of each tuple
        std::vector<std::uint32_t> rows;  // of the members, tuple by tuple

        std::size_t size() const { return rows.size() / members; }
    };
    std::vector<Tuples> all_;
};

}  // namespace trellis
