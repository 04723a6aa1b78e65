// A queue that a client has ended while another one was busy: it may go later than all else, but before the device.
#include "trellis/devices/lending/served_device.hpp"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <atomic>
#include <memory>
#include <vector>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/known_kernels.hpp"

namespace trellis::served_device_test {

std::atomic<bool> may_end = false;
void wait_until_it_may_end(const KernelCall& /*call*/) { may_end.wait(false); }

TEST(ServedDevice, stays_until_its_last_queue_has_gone) {
    register_kernel(DeviceKind::cpu, "wait until it may end", wait_until_it_may_end, {0, 0});
    asio::io_context io;
    std::vector<std::shared_ptr<void>> discarded;
    const auto discard = [&](std::shared_ptr<void> object) { discarded.push_back(std::move(object)); };
    auto device = make_cpu_device(1 << 20, 1, "cpu");
    const std::weak_ptr<LocalDevice> watched = device;
    auto served = std::make_shared<ServedDevice>(
        device, io.get_executor(), [](const Frame& /*answer*/) {}, discard, std::make_shared<AnswerAccount>());
    device.reset();
    std::span<const std::byte> no_data;
    const std::vector<wire::Call> calls{wire::MakeQueue{1}, wire::MakeQueue{2},
                                        wire::Launch{2, "wait until it may end", {}, {}}, wire::EndQueue{1}};
    for (const wire::Call& call : calls) served->carry_out(call, no_data);
    io.poll();  // the first queue is ended, and waits for the second one
    may_end = true;
    may_end.notify_all();
    served.reset();
    EXPECT_TRUE(discarded.empty());
    EXPECT_FALSE(watched.expired());
    io.restart();
    io.poll();
    EXPECT_EQ(discarded.size(), 1U);
    EXPECT_FALSE(watched.expired());
    discarded.clear();
    EXPECT_TRUE(watched.expired());
}

}  // namespace trellis::served_device_test
