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

    // devices: names of two devices. results: their bytes, equal in number, of which some differ.
    Mismatch(std::array<std::string, 2> devices, std::array<Bytes, 2> results);

    // agreed: a result of the repeated step on which all devices agree. Returns the name of the faulty device if this
    // result identifies it. The repeated step may divide its results otherwise, so the bytes around the difference are
    // searched for in each of them.
    std::optional<std::string> faulty_device(Bytes agreed);

  private:
    std::array<std::string, 2> devices_;
    std::array<std::vector<std::byte>, 2> around_;  // bytes of each result around the difference
    int left_;                                      // results to be searched
};

}  // namespace trellis
