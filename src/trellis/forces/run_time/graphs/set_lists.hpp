// Lists of the particles of small sets: the entries of all lists stand side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trellis {

// The lists of one set, among numbers (u32) and values (double) of all sets. List k has the entries from begin[k] to
// begin[k + 1]; they may name tuples, whose members are numbers, too.
struct SetLists {
    std::uint64_t first_begin, first_entry, first_member;  // among the numbers
    std::uint64_t first_value;
    std::uint32_t particles, entries, tuples;  // particles: the lists, or 0
    std::uint32_t unused = 0;
};

// True if the elements from `first` on, `count` of them, are among all.
constexpr bool are_within(std::uint64_t first, std::uint64_t count, std::uint64_t all) {
    return first <= all && count <= all - first;
}

// Lists that may be those of a client: what goes beyond the numbers and values is no entry.
class CheckedLists {
  public:
    // all_numbers, all_values: how many there are. An entry has a value.
    CheckedLists(const SetLists& lists, const std::uint32_t* numbers, std::uint64_t all_numbers,
                 std::uint64_t all_values)
        : lists_(lists),
          numbers_(numbers),
          are_whole_(are_within(lists.first_begin, std::uint64_t{lists.particles} + 1, all_numbers) &&
                     are_within(lists.first_entry, lists.entries, all_numbers) &&
                     are_within(lists.first_value, lists.entries, all_values)) {}

    // Calls visit(entry, its value's number) for the entries of list k.
    template <class Visit>
    void each(std::size_t k, const Visit& visit) const {
        if (!are_whole_ || k >= lists_.particles) return;
        const std::uint32_t* begin = numbers_ + lists_.first_begin + k;
        const std::uint32_t end = std::min(begin[1], lists_.entries);
        for (std::uint32_t entry = begin[0]; entry < end; ++entry)
            visit(numbers_[lists_.first_entry + entry], lists_.first_value + entry);
    }

  private:
    const SetLists& lists_;
    const std::uint32_t* numbers_;
    const bool are_whole_;
};

}  // namespace trellis
