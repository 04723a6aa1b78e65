// Comparison by name of the calls that all ranks make together: a rank in another call, which would wait for ever or
// receive messages of another call, is found at once.
#pragma once

#include <cstdint>
#include <string_view>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Returns the bits that any rank has set; collective. Throws RunError on all ranks if any rank is in a call of another
// name; the message gives both names, cut to 63 characters.
std::uint64_t same_call(Comm& comm, std::string_view name, std::uint64_t bits = 0);

constexpr std::string_view end_of_program = "the end of the program";

// Makes the end of this program under MPI one of the compared calls, so that a rank which waits for one that has ended
// is found as well. For programs whose other calls are compared.
void compare_end();
bool end_is_compared();

}  // namespace trellis
