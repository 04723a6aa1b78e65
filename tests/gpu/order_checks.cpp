#include "order_checks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "trellis/resident/kernels/sort_and_scan.hpp"

using namespace trellis;

namespace {

template <class T>
DeviceMemory sent(const std::shared_ptr<Device>& device, Queue& queue, const std::vector<T>& values) {
    DeviceMemory memory(device, values.size() * sizeof(T));
    queue.upload(memory, 0, std::as_bytes(std::span(values)));
    return memory;
}

template <class T>
void get(Queue& queue, const DeviceMemory& memory, std::vector<T>& values) {
    queue.download(memory, 0, std::as_writable_bytes(std::span(values)));
    queue.wait();
}

std::vector<std::uint32_t> in_order(std::size_t count) {
    std::vector<std::uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

bool sorts(const std::shared_ptr<Device>& device, std::vector<std::uint64_t> keys) {
    std::vector<std::uint32_t> wanted = in_order(keys.size()), indices = wanted;
    std::ranges::stable_sort(wanted, {}, [&](std::uint32_t k) { return keys[k]; });
    std::vector<std::uint64_t> wanted_keys(keys.size());
    std::ranges::transform(wanted, wanted_keys.begin(), [&](std::uint32_t k) { return keys[k]; });

    const auto queue = device->make_queue();
    const DeviceMemory memory = sent(device, *queue, keys), positions = sent(device, *queue, indices);
    const DeviceMemory other_keys(device, memory.bytes()), other_indices(device, positions.bytes());
    const DeviceMemory space(device, sort_space(keys.size()));
    sort_by_key(*queue, keys.size(), memory, positions, other_keys, other_indices, space);
    get(*queue, memory, keys);
    get(*queue, positions, indices);
    return keys == wanted_keys && indices == wanted;
}

template <class T>
bool adds_up(const std::shared_ptr<Device>& device, std::vector<T> values, auto&& sum_before) {
    std::vector<T> wanted(values.size());
    std::exclusive_scan(values.begin(), values.end(), wanted.begin(), T{0});
    const auto queue = device->make_queue();
    const DeviceMemory memory = sent(device, *queue, values), space(device, scan_space(values.size()));
    sum_before(*queue, values.size(), memory, space);
    get(*queue, memory, values);
    return values == wanted;
}

using Key = std::function<std::uint64_t(std::uint64_t k)>;

void check_sort(Checks& checks, const std::shared_ptr<Device>& device, std::uint64_t count, const std::string& kind,
                const Key& key) {
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t k = 0; k < count; ++k) keys[k] = key(k);
    checks.that(sorts(device, std::move(keys)), "sort of " + std::to_string(count) + " keys, " + kind);
}

void check_sums(Checks& checks, const std::shared_ptr<Device>& device, std::uint64_t count, std::mt19937_64& random) {
    std::vector<std::uint32_t> words(count);
    std::vector<std::uint64_t> long_words(count);
    for (auto& each : words) each = static_cast<std::uint32_t>(random() % 100);
    for (auto& each : long_words) each = random() >> 30;
    const std::string what = "sums of " + std::to_string(count) + " words of ";
    checks.that(adds_up(device, words, sum_before_32), what + "32 bits");
    checks.that(adds_up(device, long_words, sum_before_64), what + "64 bits");
}

}  // namespace

void check_order(Checks& checks, const std::shared_ptr<Device>& device, std::uint64_t most, bool small) {
    register_sort_and_scan();
    std::mt19937_64 random(1);
    const Key any = [&](std::uint64_t) { return random() >> 1; };
    const Key many_equal = [&](std::uint64_t) { return random() % 50 << 57 | random() % 3; };
    for (const std::uint64_t count : {1, 2, 255, 256, 257, 2047, 2048, 2049, 100'000, 1'000'000}) {
        if (count > most || (small && count == 1'000'000)) break;
        check_sort(checks, device, count, "random", any);
        check_sort(checks, device, count, "in order", [](std::uint64_t k) { return k << 30; });
        check_sort(checks, device, count, "reversed", [&](std::uint64_t k) { return (count - k) << 30; });
        check_sort(checks, device, count, "many equal", many_equal);
        check_sort(checks, device, count, "all equal", [](std::uint64_t) { return std::uint64_t{7}; });
        check_sums(checks, device, count, random);
    }
    if (most <= 1'000'000) return;
    check_sort(checks, device, most, "many equal", many_equal);
    check_sums(checks, device, most, random);
}
