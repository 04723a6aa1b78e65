// Rows on a device: those that lists name are there, and only what a device lacks is sent.
#include "trellis/forces/short_range/device/row_table.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <utility>

#include "trellis/devices/cpu_device.hpp"

namespace trellis::row_table_test {

constexpr std::size_t stretch = RowTable::stretch;

// Rows of one number each, and their table on one device.
struct Rows {
    std::vector<double> values;
    std::shared_ptr<Device> device = make_cpu_device(std::size_t{1} << 24, 1);
    std::unique_ptr<Queue> queue = device->make_queue();
    RowTable table{1};

    explicit Rows(std::size_t count) : values(count) { std::iota(values.begin(), values.end(), 1.0); }

    // The bytes that an evaluation by lists of these rows sends.
    std::uint64_t send(const std::vector<std::size_t>& named) {
        table.begin(values.size(), sizeof(double), device);
        for (const std::size_t row : named) table.name(0, row);
        table.write([&](std::size_t number, std::byte* row) {
            double& there = *reinterpret_cast<double*>(row);
            return std::exchange(there, values[number]) != values[number];
        });
        table.send(0, device, *queue);
        queue->wait();
        return queue->take_times().bytes_up;
    }
    double on_device(std::size_t row) {
        double value = 0;
        queue->download(table.on_device(0), row * sizeof value, std::as_writable_bytes(std::span(&value, 1)));
        queue->wait();
        return value;
    }
};

TEST(RowTable, sends_the_stretches_that_are_named_and_have_changed) {
    constexpr std::size_t bytes = stretch * sizeof(double);
    Rows rows(2000);
    EXPECT_EQ(rows.send({40, 41, 1999}), 2 * bytes);
    EXPECT_EQ(rows.send({40, 41, 1999}), 0U);
    rows.values[1998] = rows.values[100] = -1;
    EXPECT_EQ(rows.send({40, 1999}), bytes);
    EXPECT_EQ(rows.on_device(1998), -1);
    EXPECT_EQ(rows.send({100}), bytes);
    EXPECT_EQ(rows.on_device(100), -1);
}

TEST(RowTable, joins_what_is_near_in_one_copy) {
    Rows rows(2000);
    EXPECT_EQ(rows.send({0, 10 * stretch}), 11 * stretch * sizeof(double));
}

// Also while rows come and go, and the memory of both sides grows.
TEST(RowTable, has_the_rows_that_lists_name_after_any_changes) {
    std::mt19937 random(3);
    const auto below = [&](std::size_t end) { return random() % end; };
    Rows rows(500);
    for (int evaluation = 0; evaluation < 300; ++evaluation) {
        rows.values.resize(400 + below(200 + static_cast<std::size_t>(evaluation)));
        for (int change = 0; change < 20; ++change)
            rows.values[below(rows.values.size())] = static_cast<double>(random());
        std::vector<std::size_t> named;
        for (int name = 0; name < 20; ++name) named.push_back(below(rows.values.size()));
        rows.send(named);
        for (const std::size_t row : named) ASSERT_EQ(rows.on_device(row), rows.values[row]) << evaluation;
    }
}

}  // namespace trellis::row_table_test
