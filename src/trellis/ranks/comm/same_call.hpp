// Calls that all ranks have to make together, compared by name as they begin: a rank in another one, which would wait
// for ever or take what is not meant for it, is found at once.
#pragma once

#include <cstdint>
#include <string_view>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Collective: the bits that any rank has set. Throws RunError on all ranks if any is in a call of another name; both
// names are in its sentence, shortened to 63 letters.
std::uint64_t same_call(Comm& comm, std::string_view name, std::uint64_t bits = 0);

constexpr std::string_view end_of_program = "the end of the program";

// Makes the end of this program, under MPI, one of the calls from now on, by the name above: a rank that waits for one
// that has ended is found as well. For programs whose other calls are compared.
void compare_end();
bool end_is_compared();

}  // namespace trellis
