#include "trellis/forces/short_range/device/row_table.hpp"

#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

// Up to this many bytes that a device has are sent again if that saves a copy.
constexpr std::size_t bytes_of_a_copy = 4096;

}  // namespace

// New memory of the host has no rows, and is written from its beginning.
void RowTable::begin(std::size_t rows, std::size_t row_bytes, const std::shared_ptr<Device>& host) {
    const std::size_t stretches = (rows + stretch - 1) / stretch;
    rows_ = rows;
    if (row_bytes != row_bytes_ || host_.bytes() < stretches * stretch * row_bytes) changed_.clear();
    row_bytes_ = row_bytes;
    make_room(host_, host, stretches * stretch_bytes());
    if (changed_.empty())
        for (Copy& copy : copies_) copy.sent.clear();
    changed_.resize(stretches);
    for (Copy& copy : copies_) {
        copy.sent.resize(stretches);
        copy.named.assign(stretches, 0);
    }
}

void RowTable::send(std::size_t k, const std::shared_ptr<Device>& device, Queue& queue) {
    Copy& copy = copies_[k];
    const std::size_t bytes = changed_.size() * stretch_bytes();
    if (copy.memory.bytes() < bytes) std::ranges::fill(copy.sent, 0U);
    make_room(copy.memory, device, bytes);
    const auto lacks = [&](std::size_t s) { return copy.named[s] != 0 && copy.sent[s] != changed_[s]; };
    for (std::size_t first = 0; first < changed_.size(); ++first) {
        if (!lacks(first)) continue;
        std::size_t end = first + 1;
        for (std::size_t s = end; s < changed_.size() && (s - end) * stretch_bytes() <= bytes_of_a_copy; ++s)
            if (lacks(s)) end = s + 1;
        const std::size_t begin = first * stretch_bytes();
        queue.upload(copy.memory, begin, {host_.begin() + begin, (end - first) * stretch_bytes()});
        for (; first < end; ++first) copy.sent[first] = changed_[first];
    }
}

}  // namespace trellis
