// The failure of a device without a kernel names the interaction as its source does.
#include "trellis/devices/server/kernel_error.hpp"

#include <gtest/gtest.h>

#include <typeinfo>

namespace trellis::kernel_error_test {

struct Yukawa {};

TEST(MissingKernel, is_named_by_its_interaction) {
    const std::string type = "trellis::kernel_error_test::Yukawa";
    const std::string sentence = "has no kernel of the interaction " + type +
                                 ": its server needs --kernels with a library that has TRELLIS_PROVIDE_KERNELS(" +
                                 type + ")";
    const std::string mangled = typeid(Yukawa).name();
    for (const std::string& kernel :
         {mangled + ".pairs.single", mangled + ".neighbours.double", "systems " + mangled, "external." + mangled})
        EXPECT_EQ(missing_kernel(kernel), sentence);
}

TEST(MissingKernel, without_an_interaction_is_named_as_it_is) {
    for (const char* kernel : {"no such kernel", "grape.forces", "i", "resident.sort", ""})
        EXPECT_EQ(missing_kernel(kernel), "has no kernel '" + std::string(kernel) + "'");
}

}  // namespace trellis::kernel_error_test
