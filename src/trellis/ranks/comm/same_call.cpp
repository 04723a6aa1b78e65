#include "trellis/ranks/comm/same_call.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

std::atomic<bool> compares_end = false;

using Name = std::array<char, 64>;

Name shortened(std::string_view text) {
    Name name{};
    std::ranges::copy(text.substr(0, name.size() - 1), name.begin());
    return name;
}

// FNV-1a.
std::uint32_t hash(std::string_view text) {
    std::uint32_t sum = 2166136261;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619;
    return sum;
}

// The hash of a name and its complement: joined by "or" over the ranks, they share a bit only if the hashes differ.
struct Call {
    std::uint64_t bits;
    std::uint32_t name, complement;
};

[[noreturn]] void complain(Comm& comm, std::string_view name) {
    const auto names = all_gather(comm, shortened(name));
    const auto other = std::ranges::find_if(names, [&](const Name& called) { return called != names.front(); });
    throw RunError("rank 0 is at " + std::string(names.front().data()) + ", but rank " +
                   std::to_string(other - names.begin()) + " at " + std::string(other->data()) +
                   ": allowed are the same calls on all ranks, in the same order");
}

}  // namespace

std::uint64_t same_call(Comm& comm, std::string_view name, std::uint64_t bits) {
    if (comm.size() == 1) return bits;
    const std::uint32_t hashed = hash(shortened(name).data());
    const Call all = all_reduce(comm, Call{bits, hashed, ~hashed}, [](const Call& a, const Call& b) {
        return Call{a.bits | b.bits, a.name | b.name, a.complement | b.complement};
    });
    if ((all.name & all.complement) != 0) complain(comm, name);
    return all.bits;
}

void compare_end() { compares_end = true; }

bool end_is_compared() { return compares_end; }

}  // namespace trellis
