#include "unit/devices/opencl/racing_sums.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "trellis/devices/opencl/opencl_device.hpp"
#include "trellis/devices/remote/open.hpp"

namespace trellis::racing_sums_test {

using racing_sums::Flaw;

class RacingSums : public testing::TestWithParam<unsigned> {
  protected:
    void SetUp() override {
        if (opencl_device_count() == 0 || !opencl_device_serves(0)) {
            EXPECT_EQ(std::getenv("CI"), nullptr) << "the full check needs a device of OpenCL: see tools/setup.sh";
            GTEST_SKIP() << "skipped: no OpenCL device";
        }
        racing_sums::register_kernels();
    }

    // True if the sums within each block are those of std::exclusive_scan.
    static bool right(Flaw flaw) {
        constexpr std::size_t blocks = 7;
        const std::size_t threads = GetParam(), count = blocks * threads, bytes = count * sizeof(std::uint32_t);
        std::vector<std::uint32_t> values(count), found(count), wanted(count);
        std::iota(values.begin(), values.end(), 1U);
        for (std::size_t b = 0; b < count; b += threads) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(b);
            std::exclusive_scan(begin, begin + static_cast<std::ptrdiff_t>(threads),
                                wanted.begin() + static_cast<std::ptrdiff_t>(b), 0U);
        }
        const auto device = open_device("opencl:0");
        const auto queue = device->make_queue();
        const DeviceMemory from(device, bytes), to(device, bytes);
        queue->upload(from, 0, std::as_bytes(std::span(values)));
        const racing_sums::Call call{blocks};
        const DeviceMemory* const memories[] = {&from, &to};
        queue->launch(racing_sums::kernel_name(flaw, GetParam()), std::as_bytes(std::span(&call, 1)), memories);
        queue->download(to, 0, std::as_writable_bytes(std::span(found)));
        queue->wait();
        return found == wanted;
    }

    static bool threads_share() { return GetParam() > 1; }
};

TEST_P(RacingSums, are_right_where_all_barriers_stand) { EXPECT_TRUE(right(Flaw::none)); }

TEST_P(RacingSums, show_that_a_barrier_was_left_out) { EXPECT_EQ(right(Flaw::barrier_left_out), !threads_share()); }

TEST_P(RacingSums, show_a_race) { EXPECT_EQ(right(Flaw::one_buffer), !threads_share()); }

INSTANTIATE_TEST_SUITE_P(OfBlocks, RacingSums, testing::ValuesIn(racing_sums::block_sizes));

}  // namespace trellis::racing_sums_test
