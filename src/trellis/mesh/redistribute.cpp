#include "trellis/mesh/redistribute.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

namespace trellis {

namespace {

// Both boxes lie within the mesh: nothing is wrapped.
constexpr int unbounded = std::numeric_limits<int>::max() / 4;
constexpr Nodes no_images{unbounded, unbounded, unbounded};

template <class Visit>
void for_runs_in_both(const NodeBox& a, const NodeBox& b, Visit&& visit) {
    for_shared_runs(a, b, no_images, visit);
}

}  // namespace

template <class Value>
std::vector<Value> redistribute(Comm& comm, std::span<const NodeBox> from, std::span<const NodeBox> to,
                                std::vector<Value> values) {
    if (std::ranges::equal(from, to)) return values;
    const auto self = static_cast<std::size_t>(comm.rank());
    std::vector<Message> messages;
    for (std::size_t rank = 0; rank < to.size(); ++rank) {
        const std::size_t shared = common_nodes(from[self], to[rank]).size();
        if (shared == 0) continue;
        std::vector<std::byte> bytes(shared * sizeof(Value));
        std::byte* next = bytes.data();
        for_runs_in_both(from[self], to[rank], [&](std::size_t in_from, std::size_t, std::size_t length) {
            std::memcpy(next, values.data() + in_from, length * sizeof(Value));
            next += length * sizeof(Value);
        });
        messages.push_back({static_cast<int>(rank), std::move(bytes)});
    }
    const auto exchange = comm.begin_exchange(std::move(messages));
    values = {};
    std::vector<Value> moved(to[self].size());
    for (const Message& message : exchange->finish()) {
        const std::byte* next = message.bytes.data();
        for_runs_in_both(from[static_cast<std::size_t>(message.rank)], to[self],
                         [&](std::size_t, std::size_t in_to, std::size_t length) {
                             std::memcpy(static_cast<void*>(moved.data() + in_to), next, length * sizeof(Value));
                             next += length * sizeof(Value);
                         });
    }
    return moved;
}

template std::vector<std::complex<float>> redistribute(Comm&, std::span<const NodeBox>, std::span<const NodeBox>,
                                                       std::vector<std::complex<float>>);
template std::vector<std::complex<double>> redistribute(Comm&, std::span<const NodeBox>, std::span<const NodeBox>,
                                                        std::vector<std::complex<double>>);

}  // namespace trellis
