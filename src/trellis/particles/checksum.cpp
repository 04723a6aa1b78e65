#include "trellis/particles/checksum.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/particles/checksum_kernel.hpp"

namespace trellis {

std::uint64_t checksum(const Column& column) {
    static const auto of_words = TRELLIS_VARIANT(checksum_of_words);
    const std::uint64_t* words = column.integers();
    const std::size_t count = column.size() * column.info().components;
    return parallel_reduce(
        count, std::uint64_t{count},
        [&](std::size_t begin, std::size_t end) { return of_words(words + begin, end - begin); },
        [](std::uint64_t a, std::uint64_t b) { return (a ^ (a >> 32)) * checksum_factor + b; });
}

}  // namespace trellis
