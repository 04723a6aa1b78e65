#include "trellis/devices/opencl/opencl_device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "trellis/devices/gpu/launch_queue.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/remote/open.hpp"

// Functions that clang calls for each source (clang_modules.cpp).
extern "C" {
struct FatBinary;
void** __hipRegisterFatBinary(const FatBinary* binary);
void __hipRegisterFunction(void** module, const void* kernel, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*);
}

namespace trellis::opencl_device_test {

class OpenClDevices : public testing::Test {
  protected:
    void SetUp() override {
        if (opencl_device_count() == 0 || !opencl_device_serves(0)) {
            EXPECT_EQ(std::getenv("CI"), nullptr) << "the full check needs a device of OpenCL: see tools/setup.sh";
            GTEST_SKIP() << "skipped: no OpenCL device";
        }
    }
};

// The sentence with which a launch of a kernel at this address fails.
template <const int& kernel>
std::string failure_of_launch() {
    register_kernel(DeviceKind::clang, "a kernel of its own", [](const KernelCall& call) {
        static_cast<LaunchQueue*>(call.stream)->launch_blocks(&kernel, {1, 1}, 1, {});
    });
    const auto device = open_device("opencl:0");
    const auto queue = device->make_queue();
    queue->launch("a kernel of its own", {}, {});
    try {
        queue->wait();
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "no failure";
}

const int of_broken_module = 0, of_no_module = 0;

TEST_F(OpenClDevices, say_that_their_driver_cannot_build_a_kernel) {
    alignas(8) static const struct {
        char magic[24];
        std::uint64_t count, offset, bytes, length;
        char name[24];
        std::uint32_t words[7];
    } bundle{{'_'}, 1, 80, 28, 22, "hip-spirv64----generic", {0x07230203, 0x00010200, 0, 1, 0, 0x0002ffff, 0}};
    static const struct {
        std::uint32_t magic, version;
        const void* bundle;
        void* unused;
    } binary{0, 1, &bundle, nullptr};
    void** const module = __hipRegisterFatBinary(reinterpret_cast<const FatBinary*>(&binary));
    __hipRegisterFunction(module, &of_broken_module, nullptr, "broken", 0, nullptr, nullptr, nullptr, nullptr, nullptr);
    const std::string failure = failure_of_launch<of_broken_module>();
    EXPECT_TRUE(failure.starts_with("device opencl:0 failed: CL_")) << failure;
    EXPECT_NE(failure.find(" of "), std::string::npos) << failure;
}

TEST_F(OpenClDevices, have_no_kernel_that_was_not_compiled_for_them) {
    EXPECT_EQ(failure_of_launch<of_no_module>(),
              "device opencl:0 failed: a kernel that is launched was not compiled for it");
}

TEST_F(OpenClDevices, keep_what_their_driver_says_of_itself) {
    const std::string description = open_device("opencl:0")->description();
    for (const char* part : {", driver ", " compute units, ", " GiB, double precision"})
        EXPECT_NE(description.find(part), std::string::npos) << description;
}

TEST_F(OpenClDevices, are_counted_from_zero) {
    const std::string beyond = "opencl:" + std::to_string(opencl_device_count());
    EXPECT_THROW(open_device(beyond), InputError);
    EXPECT_THROW(open_device("opencl:"), InputError);
    EXPECT_THROW(open_device("opencl:0#1"), InputError);
}

}  // namespace trellis::opencl_device_test
