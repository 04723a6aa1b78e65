#include "trellis/packing/predicted_stream.hpp"

#include <gtest/gtest.h>

#include "trellis/packing/rounding.hpp"
#include "unit/particle_models.hpp"

namespace trellis::predicted_stream_test {

constexpr int exponent = -10;

struct End {
    History history;

    std::vector<std::byte> send(const std::vector<double>& values) {
        ByteWriter out;
        Outgoing stream(history, out);
        stream.begin(values.size());
        for (const double value : values) stream.pass(Multiples(exponent), value, 0.0);
        stream.end();
        history.end_step();
        return out.take();
    }
    std::vector<double> receive(const std::vector<std::byte>& bytes, std::size_t count) {
        ByteReader in(bytes);
        Incoming stream(history, in);
        std::vector<double> values;
        stream.begin(count);
        for (std::size_t k = 0; k < count; ++k) values.push_back(stream.pass(Multiples(exponent), 0.0, 0.0));
        stream.end();
        history.end_step();
        return values;
    }
};

TEST(PredictedStream, delivers_rounded_values_for_any_history) {
    models::Random random(1);
    End here, there;
    for (int step = 0; step < 20; ++step) {
        std::vector<double> values(50);
        for (double& value : values) value = random.uniform(-1e3, 1e3);
        const auto arrived = there.receive(here.send(values), values.size());
        End without_history, other;
        EXPECT_EQ(arrived, other.receive(without_history.send(values), values.size()));
        for (std::size_t k = 0; k < values.size(); ++k)
            EXPECT_LE(std::abs(arrived[k] - values[k]), std::ldexp(0.5, exponent));
    }
}

TEST(PredictedStream, needs_few_bits_for_constant_and_for_linear_values) {
    models::Random random(1);
    std::vector<double> values(64), velocities(64);
    for (double& value : values) value = random.uniform(-1e3, 1e3);
    for (double& velocity : velocities) velocity = std::round(random.uniform(-50, 50));
    End here;
    const auto first = here.send(values).size();
    EXPECT_EQ(here.send(values).size(), 4U);  // the widths alone, one for each sixteen values
    const auto step = [&] {
        for (std::size_t k = 0; k < values.size(); ++k) values[k] += velocities[k];
        return here.send(values).size();
    };
    const auto accelerated = step();
    EXPECT_GT(accelerated, 40U);
    EXPECT_LT(accelerated, first);
    EXPECT_EQ(step(), 4U);
    EXPECT_EQ(step(), 4U);
}

}  // namespace trellis::predicted_stream_test
