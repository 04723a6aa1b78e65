// Counted operations of the kernels of a device, in the table of the performance model.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "kernel/operations.hpp"

namespace trellis::operations_budget_test {

std::string line_of(const char* kernel, const std::array<int, 4>& by_order) {
    std::string line = "    \"" + std::string(kernel) + "\": (";
    for (const int count : by_order) line += std::to_string(count) + ", ";
    return line.substr(0, line.size() - 2) + ")";
}

TEST(OperationsBudget, stands_in_the_performance_model) {
    std::ifstream file(std::string(TRELLIS_SOURCES) + "/python/trellis/model/device_kernels.py");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::array all{bench::expansion_operations<2>(), bench::expansion_operations<3>(),
                         bench::expansion_operations<4>(), bench::expansion_operations<5>()};
    const auto expect = [&](const char* kernel, int bench::ExpansionOperations::* count) {
        const std::string line = line_of(kernel, {all[0].*count, all[1].*count, all[2].*count, all[3].*count});
        EXPECT_NE(text.find(line), std::string::npos) << line;
    };
    expect("P2M", &bench::ExpansionOperations::p2m);
    expect("M2M", &bench::ExpansionOperations::m2m);
    expect("M2L", &bench::ExpansionOperations::m2l);
    expect("L2L", &bench::ExpansionOperations::l2l);
    expect("L2P", &bench::ExpansionOperations::l2p);
    expect("M2P", &bench::ExpansionOperations::m2p);
    EXPECT_NE(text.find("P2P_OPERATIONS = " + std::to_string(bench::monopole_operations()) + "\n"), std::string::npos);
}

}  // namespace trellis::operations_budget_test
