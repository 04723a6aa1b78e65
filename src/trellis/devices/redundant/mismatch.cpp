#include "trellis/devices/redundant/mismatch.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace trellis {

namespace {

constexpr std::size_t bytes_around = 64;

// An upper limit of the results of a step.
constexpr int results_of_a_step = 4096;

bool holds(std::span<const std::byte> bytes, std::span<const std::byte> part) {
    const auto text = [](std::span<const std::byte> of) {
        return std::string_view(reinterpret_cast<const char*>(of.data()), of.size());
    };
    return text(bytes).find(text(part)) != std::string_view::npos;
}

}  // namespace

Mismatch::Mismatch(std::array<std::string, 2> devices, std::array<Bytes, 2> results)
    : devices_(std::move(devices)), left_(results_of_a_step) {
    const auto first = std::ranges::mismatch(results[0], results[1]).in1 - results[0].begin();
    const std::size_t begin = static_cast<std::size_t>(first) / bytes_around * bytes_around;
    const std::size_t count = std::min(bytes_around, results[0].size() - begin);
    for (std::size_t k = 0; k < 2; ++k) {
        const Bytes around = results[k].subspan(begin, count);
        around_[k].assign(around.begin(), around.end());
    }
}

std::optional<std::string> Mismatch::faulty_device(Bytes agreed) {
    if (left_ == 0) return std::nullopt;
    --left_;
    const std::array<bool, 2> found{holds(agreed, around_[0]), holds(agreed, around_[1])};
    if (found[0] == found[1]) return std::nullopt;
    return devices_[found[0] ? 1 : 0];
}

}  // namespace trellis
