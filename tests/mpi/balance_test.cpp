#include <gtest/gtest.h>

#include "unit/ranks/domain/balance_checks.hpp"

namespace trellis {
namespace {

TEST(MpiBalance, evens_out_the_work_of_a_cluster) { check_balance_converges(*world()); }

TEST(MpiBalance, is_the_same_on_all) { check_all_ranks_decide_the_same(*world()); }

TEST(MpiBalance, resumes_bit_for_bit) { check_balance_resumes(*world()); }

}  // namespace
}  // namespace trellis
