// Devices by name: copies of one device.
#include "trellis/devices/remote/open.hpp"

#include <gtest/gtest.h>

namespace trellis::open_test {
namespace {

TEST(DeviceCopies, HaveNumbers) {
    EXPECT_EQ(with_copies({"cuda:0", "cpu*3"}), (std::vector<std::string>{"cuda:0", "cpu#0", "cpu#1", "cpu#2"}));
    EXPECT_EQ(name_of_original("cpu#12"), "cpu");
    EXPECT_EQ(name_of_original("cpu"), "cpu");
    EXPECT_EQ(name_of_original("unix:/tmp/a#b/cpu"), "unix:/tmp/a#b/cpu");
    for (const char* wrong : {"cpu*", "cpu*0", "cpu*-1", "cpu*65537", "cpu*2x"})
        EXPECT_THROW(with_copies({wrong}), InputError) << wrong;
}

TEST(DeviceCopies, AreDevicesOfTheirOwn) {
    const Devices all = OpenDevices().of({"cpu*2", "rehearsal:0*2"});
    EXPECT_EQ(all.names(), "cpu#0, cpu#1, rehearsal:0#0, rehearsal:0#1");
    EXPECT_EQ(all.without("cpu#1").count(), 3);
    EXPECT_THROW(OpenDevices().of({"cpu*2", "cpu#1"}), InputError);
    EXPECT_THROW(open_device("nothing#1"), InputError);
}

}  // namespace
}  // namespace trellis::open_test
