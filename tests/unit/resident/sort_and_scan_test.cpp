#include "trellis/resident/kernels/sort_and_scan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "unit/particle_models.hpp"
#include "unit/resident/downloaded.hpp"

namespace trellis::sort_and_scan_test {

class DeviceOrder : public testing::Test {
  protected:
    DeviceOrder() { register_sort_and_scan(); }

    template <class T>
    DeviceMemory sent(const std::vector<T>& values) {
        DeviceMemory memory(device, values.size() * sizeof(T));
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        queue->wait();
        return memory;
    }

    std::shared_ptr<Device> device = open_device("cpu");
    std::unique_ptr<Queue> queue = device->make_queue();
    DeviceMemory space{device, sort_space(10000)};
};

TEST_F(DeviceOrder, sorts_by_key_and_leaves_equal_keys_in_order) {
    models::Random random(1);
    for (const std::size_t count : {1, 2, 100, 10000}) {
        std::vector<std::uint64_t> keys(count);
        for (auto& key : keys) key = random.bits() % 50 << 57 | random.bits() % 3;
        std::vector<std::uint32_t> indices(count);
        std::iota(indices.begin(), indices.end(), 0);
        std::vector<std::uint32_t> expected = indices;
        std::ranges::stable_sort(expected, {}, [&](std::uint32_t k) { return keys[k]; });
        const DeviceMemory sent_keys = sent(keys), sent_indices = sent(indices), other_keys = sent(keys),
                           other_indices = sent(indices);
        sort_by_key(*queue, count, sent_keys, sent_indices, other_keys, other_indices, space);
        EXPECT_EQ(downloaded<std::uint32_t>(*queue, sent_indices, count), expected);
        const auto sorted = downloaded<std::uint64_t>(*queue, sent_keys, count);
        for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(sorted[k], keys[expected[k]]);
    }
}

TEST_F(DeviceOrder, sums_what_stands_before) {
    const DeviceMemory small = sent<std::uint32_t>({3, 0, 5, 1, 9}), large = sent<std::uint64_t>({1ULL << 40, 2, 3, 4});
    sum_before_32(*queue, 4, small, space);
    sum_before_64(*queue, 4, large, space);
    EXPECT_EQ(downloaded<std::uint32_t>(*queue, small, 5), (std::vector<std::uint32_t>{0, 3, 3, 8, 9}));
    EXPECT_EQ(downloaded<std::uint64_t>(*queue, large, 4),
              (std::vector<std::uint64_t>{0, 1ULL << 40, (1ULL << 40) + 2, (1ULL << 40) + 5}));
}

}  // namespace trellis::sort_and_scan_test
