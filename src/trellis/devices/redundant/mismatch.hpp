// Two results that differ, kept until a third device has computed the same.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trellis {

class Mismatch {
  public:
    using Bytes = std::span<const std::byte>;

    // Two devices, and what they gave: as many bytes, of which some differ.
    Mismatch(std::array<std::string, 2> devices, std::array<Bytes, 2> results);

    // A result on which all agree, when the step is repeated. Returns the device that lied, if this shows it: the step
    // may be divided into other results than before, so the bytes around the difference are looked for in all of them.
    std::optional<std::string> faulty(Bytes agreed);

  private:
    std::array<std::string, 2> devices_;
    std::array<std::vector<std::byte>, 2> around_;  // of each result, where they differ
    int left_;                                      // results to be looked at
};

}  // namespace trellis
