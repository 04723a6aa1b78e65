#include "trellis/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::parallel_test {

class Parallel : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(threads, Parallel, testing::Values(1, 2, 3));

TEST_P(Parallel, for_visits_every_index_once) {
    for (const std::size_t count : {0UL, 1UL, 100UL, 5000UL}) {
        std::vector<int> visits(count, 0);
        with_threads(GetParam(), [&] { parallel_for(count, [&](std::size_t k) { ++visits[k]; }); });
        EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
}

TEST_P(Parallel, tasks_run_once_each_by_an_existing_thread) {
    std::vector<int> runs(1000, 0);
    std::atomic<bool> thread_exists = true;
    with_threads(GetParam(), [&] {
        parallel_tasks(runs.size(), [&](std::size_t task, int thread) {
            ++runs[task];
            if (thread < 0 || thread >= GetParam()) thread_exists = false;
        });
    });
    EXPECT_EQ(runs, std::vector<int>(1000, 1));
    EXPECT_TRUE(thread_exists);
}

TEST_P(Parallel, tasks_pass_an_exception_on) {
    const auto run = [] {
        parallel_tasks(100, [](std::size_t task, int) {
            if (task == 57) throw std::runtime_error("task 57 failed");
        });
    };
    EXPECT_THROW(with_threads(GetParam(), run), std::runtime_error);
}

double sum_of(const std::vector<double>& values) {
    return parallel_reduce(
        values.size(), 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t k = begin; k < end; ++k) sum += values[k];
            return sum;
        },
        [](double a, double b) { return a + b; });
}

TEST_P(Parallel, reduce_gives_the_bits_of_one_thread) {
    models::Random random(3);
    std::vector<double> values(100'000);
    for (double& v : values) v = random.uniform(-1, 1) * std::exp(random.uniform(-20, 20));
    const double alone = with_threads(1, [&] { return sum_of(values); });
    EXPECT_EQ(with_threads(GetParam(), [&] { return sum_of(values); }), alone);
}

TEST_P(Parallel, reduce_covers_everything) {
    for (const std::size_t count : {0UL, 1UL, 16383UL, 16384UL, 16385UL, 50'000UL, 4'194'305UL})
        EXPECT_EQ(with_threads(GetParam(), [&] { return sum_of(std::vector<double>(count, 1.0)); }),
                  static_cast<double>(count));
}

}  // namespace trellis::parallel_test
