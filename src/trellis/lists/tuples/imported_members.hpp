// Members of tuples that other ranks have. Which rank has a particle is known to its home, a rank that follows from its
// number, so that no rank need know of all particles. Ranks are asked once; after that only their values are sent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/lists/tuples/tuple_list.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class ImportedMembers {
  public:
    static constexpr std::uint32_t nowhere = 0xffffffff;

    // Finds the ranks that have the wanted particles, and those that want particles of this rank; collective. rows: the
    // row of each number of the list, or nowhere. wanted: numbers, rising. Returns, the same on all ranks, the lowest
    // number that no rank has a particle of, or nowhere. Throws InputError if lists differ between ranks.
    std::uint32_t find(Comm& comm, const TupleList& list, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> wanted);

    // The numbers of the imported particles, in the order in which they arrive.
    std::span<const std::uint32_t> numbers() const { return numbers_; }

    // Sends what other ranks want of particles: positions and the columns, of one number each; collective.
    std::unique_ptr<Exchange> begin(Comm& comm, const ParticleSet& particles,
                                    std::span<const std::string> columns) const;
    // The position of each imported particle, then its number in each column.
    static std::vector<double> finish(Exchange& exchange);

  private:
    struct Recipient {
        int rank;
        std::vector<std::uint32_t> rows;
    };

    std::vector<std::uint32_t> numbers_;
    std::vector<Recipient> recipients_;
};

}  // namespace trellis
