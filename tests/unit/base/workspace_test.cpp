#include "trellis/base/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace trellis::workspace_test {

TEST(Workspace, gives_aligned_arrays_apart_from_each_other) {
    Workspace workspace;
    workspace.start(Workspace::bytes_of<char>(3) + Workspace::bytes_of<double>(10) + Workspace::bytes_of<float>(1));
    auto* first = workspace.take<char>(3);
    auto* second = workspace.take<double>(10);
    auto* third = workspace.take<float>(1);
    for (const void* array : {static_cast<void*>(first), static_cast<void*>(second), static_cast<void*>(third)})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 64, 0U);
    for (int k = 0; k < 10; ++k) second[k] = k;
    first[2] = 'x';
    *third = 1;
    for (int k = 0; k < 10; ++k) EXPECT_EQ(second[k], k);
    EXPECT_EQ(first[2], 'x');
}

TEST(Workspace, is_used_again) {
    Workspace workspace;
    workspace.start(1000);
    const auto* before = workspace.take<double>(100);
    workspace.start(500);
    EXPECT_EQ(workspace.take<double>(10), before);
    workspace.start(100'000);
    auto* larger = workspace.take<char>(100'000);
    larger[99'999] = 'x';
    EXPECT_EQ(larger[99'999], 'x');
}

TEST(Workspace, of_nothing_takes_nothing) {
    Workspace workspace;
    workspace.start(0);
    EXPECT_EQ(workspace.take<double>(0), nullptr);
    Workspace moved = std::move(workspace);
    EXPECT_EQ(moved.take<double>(0), nullptr);
}

}  // namespace trellis::workspace_test
