#include "trellis/devices/grid_kernel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "trellis/devices/cpu_grid.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/devices/shared_words.hpp"

namespace trellis::grid_kernel_test {

template <bool Uneven>
struct AddTimes {
    static constexpr const char* name = "test.add_times";
    static constexpr Phase phase = Phase::integration;
    double factor;
    const double* from = nullptr;
    double* to = nullptr;
    auto arrays() { return std::tie(from, to); }
    auto sizes(std::uint64_t count) const { return array_sizes(count, count); }
    void operator()(std::size_t k) const { to[k] += factor * from[k]; }
};

struct AddTimesUneven : AddTimes<true> {
    static constexpr const char* name = "test.add_times_uneven";
    static constexpr bool uneven = true;
    auto arrays() { return std::tie(from, to); }
};

struct Words {
    std::uint64_t total;
    std::uint32_t largest;
};

struct Count {
    static constexpr const char* name = "test.count";
    static constexpr Phase phase = Phase::sort_key;
    Words* words = nullptr;
    auto arrays() { return std::tie(words); }
    auto sizes(std::uint64_t) const { return array_sizes(1); }
    void operator()(std::size_t k) const {
        add_to(words->total, k);
        raise_to(words->largest, static_cast<std::uint32_t>(k));
    }
};

using Kernels = GridKernels<AddTimes<false>, AddTimesUneven, Count>;

class DeviceGrid : public testing::Test {
  protected:
    template <class T>
    DeviceMemory sent(const std::vector<T>& values) {
        DeviceMemory memory(device, values.size() * sizeof(T));
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        queue->wait();
        return memory;
    }
    template <class T>
    void get(const DeviceMemory& memory, std::vector<T>& values) {
        queue->download(memory, 0, std::as_writable_bytes(std::span(values)));
        queue->wait();
    }

    DeviceGrid() { register_for_cpu(Kernels{}); }

    std::shared_ptr<Device> device = open_device("cpu");
    std::unique_ptr<Queue> queue = device->make_queue();
};

TEST_F(DeviceGrid, does_the_same_to_each_element_and_to_no_other) {
    std::vector<double> values(5001);
    std::iota(values.begin(), values.end(), 0);
    for (const std::size_t count : {0, 1, 63, 64, 65, 5000}) {
        const DeviceMemory from = sent(values), to = sent(values);
        launch_grid(*queue, AddTimes<false>{2}, count, from, to);
        AddTimesUneven uneven;
        uneven.factor = -1;
        launch_grid(*queue, uneven, count, from, to);
        std::vector<double> got(values.size());
        get(to, got);
        for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], k < count ? 2 * values[k] : values[k]) << k;
    }
}

TEST_F(DeviceGrid, elements_can_share_words) {
    const DeviceMemory memory = sent<Words>({{100, 7}});
    launch_grid(*queue, Count{}, 5000, memory);
    std::vector<Words> words(1);
    get(memory, words);
    EXPECT_EQ(words[0].total, 100U + 4999U * 5000U / 2);
    EXPECT_EQ(words[0].largest, 4999U);
    launch_grid(*queue, Count{}, 5, memory);
    get(memory, words);
    EXPECT_EQ(words[0].largest, 4999U);
}

TEST_F(DeviceGrid, times_are_known_by_kernel_and_phase) {
    KernelPhases phases;
    Kernels::add_phases(phases);
    EXPECT_EQ(phases.at("test.count"), Phase::sort_key);
    EXPECT_EQ(phases.at("test.add_times"), Phase::integration);
    const DeviceMemory memory = sent<Words>({{0, 0}});
    launch_grid(*queue, Count{}, 5000, memory);
    launch_grid(*queue, Count{}, 5000, memory);
    queue->wait();
    const QueueTimes times = queue->take_times();
    ASSERT_EQ(times.kernels.size(), 1U);
    EXPECT_EQ(times.kernels.at("test.count"), times.kernel);
    EXPECT_GT(times.kernel, 0);
}

}  // namespace trellis::grid_kernel_test
