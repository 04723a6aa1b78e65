#include "trellis/base/isa.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "unit/error_message.hpp"

namespace trellis::isa_test {

#if !defined(TRELLIS_ONLY_ISA)

// The choice is made once in a process, so each of these tests runs in a process of its own.
class IsaDeathTest : public testing::TestWithParam<std::string> {
  protected:
    IsaDeathTest() { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }

    // Ends the process after writing the level in use, or the error.
    [[noreturn]] static void report(const std::string& wanted) {
        setenv("TRELLIS_SIMD", wanted.c_str(), 1);
        const std::string error = message_of([] { std::fprintf(stderr, "uses %s\n", isa_name(chosen_isa())); });
        std::fprintf(stderr, "%s\n", error.c_str());
        std::exit(error.empty() ? 0 : 2);
    }
};

TEST_F(IsaDeathTest, a_level_can_be_asked_for) {
    EXPECT_EXIT(report("v2"), testing::ExitedWithCode(0), "uses v2 \\(SSE4.2\\)");
}

TEST_F(IsaDeathTest, nothing_asked_for_is_the_best) {
    EXPECT_EXIT(report(""), testing::ExitedWithCode(0), "uses v[234]");
}

INSTANTIATE_TEST_SUITE_P(levels, IsaDeathTest, testing::Values("v9", "v", "avx2", "v4 (A", "native"));

TEST_P(IsaDeathTest, an_unknown_level_is_an_error) {
    EXPECT_EXIT(report(GetParam()), testing::ExitedWithCode(2), "environment variable TRELLIS_SIMD is");
}

#else

TEST(Isa, is_the_only_one_built) { EXPECT_EQ(chosen_isa(), Isa::TRELLIS_ONLY_ISA); }

#endif

// ctest runs this with TRELLIS_SIMD set to each level.
TEST(Isa, environment_decides) {
    const char* wanted = std::getenv("TRELLIS_SIMD");
    if (wanted == nullptr) GTEST_SKIP() << "TRELLIS_SIMD is not set";
    EXPECT_TRUE(std::string(isa_name(chosen_isa())).starts_with(wanted));
}

}  // namespace trellis::isa_test
