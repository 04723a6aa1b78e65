#include "trellis/mesh/patch_exchange.hpp"

#include <cstring>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

// Appends the values at the nodes that a and b share, in the order of a. values: of all nodes of one of the two;
// index(in a, in b): the index of a run in that array.
template <class T, class IndexOfRun>
void append_shared(const NodeBox& a, const NodeBox& b, const Nodes& cells, std::span<const T> values,
                   const IndexOfRun& index, std::vector<std::byte>& bytes) {
    for_shared_runs(a, b, cells, [&](std::size_t in_a, std::size_t in_b, std::size_t length) {
        const auto run = std::as_bytes(values.subspan(index(in_a, in_b), length));
        bytes.insert(bytes.end(), run.begin(), run.end());
    });
}

bool overlap(const NodeBox& a, const NodeBox& b, const Nodes& cells) {
    bool any = false;
    for_shared_runs(a, b, cells, [&](std::size_t, std::size_t, std::size_t) { any = true; });
    return any;
}

}  // namespace

template <class T>
void PatchExchange<T>::begin(const NodeBox& patch, std::span<const T> strengths) {
    patch_ = patch;
    std::vector<Message> messages;
    for (std::size_t rank = 0; rank < owned_.size(); ++rank) {
        if (!overlap(patch, owned_[rank], cells_)) continue;
        const auto header = bytes_of(patch);  // the strengths at those of its nodes that the rank owns follow
        std::vector<std::byte> bytes(header.begin(), header.end());
        append_shared(
            patch, owned_[rank], cells_, strengths, [](std::size_t in_patch, std::size_t) { return in_patch; }, bytes);
        messages.push_back({static_cast<int>(rank), std::move(bytes)});
    }
    sending_ = comm_->begin_exchange(std::move(messages));
}

template <class T>
std::vector<T> PatchExchange<T>::finish() {
    std::vector<T> sum(own().size());
    patches_.clear();
    for (const Message& message : sending_->finish()) {
        const auto patch = value_of<NodeBox>(std::span(message.bytes).template first<sizeof(NodeBox)>());
        patches_.push_back({message.rank, patch});
        const std::byte* next = message.bytes.data() + sizeof(NodeBox);
        for_shared_runs(patch, own(), cells_, [&](std::size_t, std::size_t in_own, std::size_t length) {
            for (std::size_t k = 0; k < length; ++k, next += sizeof(T)) {
                T value;
                std::memcpy(&value, next, sizeof value);
                sum[in_own + k] += value;
            }
        });
    }
    sending_ = nullptr;
    return sum;
}

template <class T>
std::vector<T> PatchExchange<T>::give_back(std::span<const T> owned_values) {
    std::vector<Message> messages;
    for (const Patch& patch : patches_) {
        std::vector<std::byte> bytes;
        append_shared(
            patch.nodes, own(), cells_, owned_values, [](std::size_t, std::size_t in_own) { return in_own; }, bytes);
        messages.push_back({patch.rank, std::move(bytes)});
    }
    std::vector<T> values(patch_.size());
    for (const Message& message : comm_->begin_exchange(std::move(messages))->finish()) {
        const std::byte* next = message.bytes.data();
        for_shared_runs(patch_, owned_[static_cast<std::size_t>(message.rank)], cells_,
                        [&](std::size_t in_patch, std::size_t, std::size_t length) {
                            std::memcpy(values.data() + in_patch, next, length * sizeof(T));
                            next += length * sizeof(T);
                        });
    }
    return values;
}

template class PatchExchange<float>;
template class PatchExchange<double>;

}  // namespace trellis
