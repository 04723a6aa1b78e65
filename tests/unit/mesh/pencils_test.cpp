#include "trellis/mesh/pencils.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "trellis/ranks/comm/thread_ranks.hpp"

namespace trellis::pencils_test {

std::shared_ptr<Comm> shared(Comm& comm) {
    return {&comm, [](Comm*) {}};
}

std::vector<double> noise(std::size_t size) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> values(size);
    for (double& v : values) v = value(random);
    return values;
}

// One coefficient by its definition.
std::complex<double> coefficient(const std::vector<double>& values, const Nodes& cells, const Nodes& k) {
    const NodeBox all{{}, cells};
    std::complex<double> sum = 0;
    for (int x = 0; x < cells[0]; ++x)
        for (int y = 0; y < cells[1]; ++y)
            for (int z = 0; z < cells[2]; ++z) {
                const double turns = static_cast<double>(k[0] * x) / cells[0] +
                                     static_cast<double>(k[1] * y) / cells[1] +
                                     static_cast<double>(k[2] * z) / cells[2];
                sum += values[all.at(x, y, z)] * std::polar(1.0, -2 * std::numbers::pi * turns);
            }
    return sum;
}

template <class Visit>
void for_nodes(const NodeBox& box, Visit&& visit) {
    for (int x = 0; x < box.count[0]; ++x)
        for (int y = 0; y < box.count[1]; ++y)
            for (int z = 0; z < box.count[2]; ++z)
                visit(box.at(x, y, z), Nodes{box.first[0] + x, box.first[1] + y, box.first[2] + z});
}

TEST(Pencils, transform_is_that_of_its_definition_on_any_number_of_ranks) {
    const Nodes cells{6, 5, 8};
    const auto values = noise(6 * 5 * 8);
    for (const int ranks : {1, 2, 3, 4, 6, 20})
        run_ranks(ranks, [&](Comm& comm) {
            const Pencils<double> pencils(shared(comm), cells);
            std::vector<double> own(pencils.real_box().size());
            for_nodes(pencils.real_box(), [&](std::size_t at, const Nodes& node) {
                own[at] = values[NodeBox{{}, cells}.at(node[0], node[1], node[2])];
            });
            const auto coefficients = pencils.forward(own);
            for_nodes(pencils.spectrum_box(), [&](std::size_t at, const Nodes& k) {
                EXPECT_LT(std::abs(coefficients[at] - coefficient(values, cells, k)), 1e-12);
            });
            const auto back = pencils.backward(coefficients);
            for (std::size_t k = 0; k < own.size(); ++k) EXPECT_NEAR(back[k] / (6 * 5 * 8), own[k], 1e-14);
        });
}

TEST(Pencils, single_precision_keeps_seven_digits) {
    const Nodes cells{16, 16, 16};
    run_ranks(1, [&](Comm& comm) {
        const Pencils<float> pencils(shared(comm), cells);
        const auto values = noise(4096);
        const auto back = pencils.backward(pencils.forward({values.begin(), values.end()}));
        for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(back[k] / 4096, values[k], 1e-6);
    });
}

// Each of the two transposes, there and back, takes a rank at most as many messages as its row or column has others.
TEST(Pencils, exchange_few_messages_and_each_value_once) {
    const Nodes cells{32, 32, 32};
    for (const int side : {2, 4, 8})
        run_ranks(side * side, [&](Comm& comm) {
            const Pencils<float> pencils(shared(comm), cells);
            const Traffic before = comm.traffic();
            pencils.backward(pencils.forward(std::vector<float>(pencils.real_box().size())));
            const auto own = static_cast<double>(32 * 32 * (32 + 2) * sizeof(float)) / (side * side);
            EXPECT_LE(comm.traffic().messages - before.messages, 4U * static_cast<unsigned>(side - 1));
            EXPECT_LE(static_cast<double>(comm.traffic().bytes - before.bytes), 4 * own * 1.2);  // pencils are uneven
        });
}

}  // namespace trellis::pencils_test
