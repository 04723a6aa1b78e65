// Lists of near particles as bits, one for each pair, in the order of the particles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/gpu.hpp"
#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

class NearBits {
  public:
    static constexpr std::size_t bits = 32;  // bits of a word

    // The number of words for `particles` particles.
    TRELLIS_HOST_DEVICE static constexpr std::size_t words(std::size_t particles) {
        return particles * ((particles + bits - 1) / bits);
    }

    // words: memory of words(particles) words; null if there are no lists.
    TRELLIS_HOST_DEVICE NearBits(std::uint32_t* words, std::size_t particles)
        : words_(words), count_(static_cast<std::uint32_t>(particles)) {}

    TRELLIS_HOST_DEVICE bool exist() const { return words_ != nullptr; }

    // Sets the bits of particle k: that of `other` is near(other).
    template <class Near>
    TRELLIS_HOST_DEVICE void make(std::size_t k, const Near& near) const {
        for (std::uint32_t first = 0; first < count_; first += bits) {
            const std::uint32_t end = count_ - first < bits ? count_ : first + bits;
            std::uint32_t word = 0;
            for (std::uint32_t other = first; other < end; ++other)
                word |= static_cast<std::uint32_t>(near(other)) << (other - first);
            word_of(k, first) = word;
        }
    }

    // Calls visit(other) for the particles near particle k. The search for the next bit is a loop of its own, so that
    // neighbouring threads call visit together.
    template <class Visit>
    TRELLIS_HOST_DEVICE void each(std::size_t k, const Visit& visit) const {
        std::uint32_t first = 0, word = word_of(k, 0);
        while (true) {
            while (word == 0) {
                first += bits;
                if (first >= count_) return;
                word = word_of(k, first);
            }
            visit(first + lowest(word));
            word &= word - 1;
        }
    }

  private:
    // Words of consecutive particles are adjacent.
    TRELLIS_HOST_DEVICE std::uint32_t& word_of(std::size_t k, std::uint32_t first) const {
        return words_[std::size_t{first / bits} * count_ + k];
    }
    TRELLIS_HOST_DEVICE static std::uint32_t lowest(std::uint32_t word) {
#if defined(TRELLIS_ON_GPU)
        return static_cast<std::uint32_t>(__ffs(static_cast<int>(word)) - 1);
#else
        return static_cast<std::uint32_t>(__builtin_ctz(word));
#endif
    }

    std::uint32_t* words_;
    std::uint32_t count_;
};

TRELLIS_ISA_END
}  // namespace trellis
