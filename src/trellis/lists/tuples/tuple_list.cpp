#include "trellis/lists/tuples/tuple_list.hpp"

#include <algorithm>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

TupleList::TupleList(std::vector<std::uint64_t> members, std::size_t each)
    : each_(each), ids_(members), numbers_(members.size()) {
    if (members.size() > std::numeric_limits<std::uint32_t>::max() - 1)
        throw InputError(std::string(name()) + " have " + std::to_string(members.size()) +
                         " members: allowed are 2^32 - 2");
    std::ranges::sort(ids_);
    ids_.erase(std::ranges::unique(ids_).begin(), ids_.end());
    parallel_for(members.size(), [&](std::size_t k) { numbers_[k] = number_of(members[k]); });
    for (std::size_t k = 0; k < size(); ++k)
        for (std::size_t m = 1; m < each_; ++m) {
            const std::uint32_t member = tuple(k)[m];
            const auto before = tuple(k).first(m);
            if (std::ranges::find(before, member) == before.end()) continue;
            throw InputError("row " + std::to_string(k) + " of " + name() + " has particle " +
                             std::to_string(ids_[member]) + " twice: allowed are " + std::to_string(each_) +
                             " different ones");
        }
}

const char* TupleList::name() const {
    constexpr const char* names[] = {"pairs", "triples", "quadruples"};
    return names[each_ - 2];
}

std::uint32_t TupleList::number_of(std::uint64_t id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return static_cast<std::uint32_t>(ids_.size());
    const std::uint64_t guess = id - ids_.front();  // right where the ids have no gaps
    if (guess < ids_.size() && ids_[guess] == id) return static_cast<std::uint32_t>(guess);
    const auto found = std::ranges::lower_bound(ids_, id);
    return static_cast<std::uint32_t>(*found == id ? found - ids_.begin() : std::ssize(ids_));
}

std::vector<std::uint32_t> TupleList::rows(std::span<const std::uint64_t> ids_of_particles,
                                           const std::string& name) const {
    constexpr std::uint32_t nowhere = 0xffffffff;
    std::vector<std::uint32_t> row_of(ids_.size(), nowhere);
    for (std::size_t row = 0; row < ids_of_particles.size(); ++row) {
        const std::uint32_t number = number_of(ids_of_particles[row]);
        if (number < row_of.size()) row_of[number] = static_cast<std::uint32_t>(row);
    }
    if (const auto missing = std::ranges::find(row_of, nowhere); missing != row_of.end())
        throw InputError(name + " name particle " +
                         std::to_string(ids_[static_cast<std::size_t>(missing - row_of.begin())]) +
                         ", but no particle has this id");
    std::vector<std::uint32_t> rows;
    rows.reserve(numbers_.size());
    for (const std::uint32_t number : numbers_) rows.push_back(row_of[number]);
    return rows;
}

std::string TupleList::described(std::size_t k) const {
    std::string text = "row " + std::to_string(k) + " of " + name() + ", the particles ";
    for (std::size_t m = 0; m < each_; ++m)
        text += (m == 0 ? "" : m + 1 == each_ ? " and " : ", ") + std::to_string(ids_[tuple(k)[m]]);
    return text;
}

std::uint64_t TupleList::digest() const {
    std::uint64_t digest = each_;
    const auto take = [&](std::uint64_t value) {  // a step of FNV-1a, on whole words, and a shift to spread high bits
        digest = (digest ^ value) * 0x100000001b3;
        digest ^= digest >> 32;
    };
    for (const std::uint64_t id : ids_) take(id);
    for (const std::uint32_t number : numbers_) take(number);
    return digest;
}

}  // namespace trellis
