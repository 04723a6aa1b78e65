// Tuples of particles by their ids: pairs, triples and quadruples, the same list on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis {

class TupleList {
  public:
    static constexpr std::size_t most_members = 4;

    // members: the ids of each tuple in turn. each: the number of them in a tuple, 2 to 4. Throws InputError if a
    // particle is twice in one tuple, and above 2^32 - 2 members.
    TupleList(std::vector<std::uint64_t> members, std::size_t each);

    std::size_t size() const { return numbers_.size() / each_; }
    std::size_t each() const { return each_; }
    // The name of such tuples: "pairs", "triples", "quadruples".
    const char* name() const;

    // The ids that occur, rising. All else names them by their numbers in here.
    std::span<const std::uint64_t> ids() const { return ids_; }
    // The number of an id; ids().size() if it does not occur.
    std::uint32_t number_of(std::uint64_t id) const;
    // The numbers of the members of a tuple.
    std::span<const std::uint32_t> tuple(std::size_t k) const { return std::span(numbers_).subspan(k * each_, each_); }
    // The rows of the members of each tuple in turn, among particles of these ids. name: for messages. Throws
    // InputError for a member that no particle is.
    std::vector<std::uint32_t> rows(std::span<const std::uint64_t> ids_of_particles, const std::string& name) const;
    // The members of a tuple for a sentence: "row 3 of pairs, the particles 7 and 9".
    std::string described(std::size_t k) const;

    // A number by which lists that differ are distinguished.
    std::uint64_t digest() const;
    friend bool operator==(const TupleList&, const TupleList&) = default;

  private:
    std::size_t each_;
    std::vector<std::uint64_t> ids_;
    std::vector<std::uint32_t> numbers_;
};

}  // namespace trellis
