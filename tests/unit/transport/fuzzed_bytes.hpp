// Random bytes, and bytes with a few changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace trellis {

// The same seed gives the same bytes.
class FuzzedBytes {
  public:
    explicit FuzzedBytes(unsigned seed) : draw_(seed) {}

    std::uint64_t below(std::uint64_t bound) {
        return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(draw_);
    }
    bool one_in(std::uint64_t bound) { return below(bound) == 0; }
    std::vector<std::byte> bytes(std::size_t count) {
        std::vector<std::byte> drawn(count);
        for (std::byte& byte : drawn) byte = static_cast<std::byte>(below(256));
        return drawn;
    }
    // Changes, removes or adds a few bytes.
    void mutate(std::vector<std::byte>& bytes) {
        for (std::uint64_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) {
            const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
            if (one_in(8))
                bytes.erase(position, one_in(2) ? bytes.end() : position + 1);
            else if (one_in(8))
                bytes.insert(position, static_cast<std::byte>(below(256)));
            else
                *position ^= static_cast<std::byte>(1U << below(8));
        }
    }

  private:
    std::mt19937_64 draw_;
};

// The number of frames that a test draws: $TRELLIS_FUZZED_FRAMES, or ten thousand.
inline int fuzzed_frames() {
    const char* given = std::getenv("TRELLIS_FUZZED_FRAMES");
    return given == nullptr ? 10'000 : std::atoi(given);
}

}  // namespace trellis
