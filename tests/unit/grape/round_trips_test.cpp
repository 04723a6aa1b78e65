// The cost of a board's calculation: one wait for the device, whatever was written before, and no byte twice.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/grape/board.hpp"

namespace trellis::round_trips_test {

// A queue that counts how often it is waited for, and what is uploaded.
class CountingQueue : public Queue {
  public:
    CountingQueue(std::unique_ptr<Queue> queue, int& waits, std::size_t& uploaded)
        : queue_(std::move(queue)), waits_(waits), uploaded_(uploaded) {}
    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
        uploaded_ += from.size();
        queue_->upload(to, offset, from);
    }
    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
        queue_->download(from, offset, to);
    }
    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override {
        queue_->launch(kernel, constants, memory);
    }
    Mark mark() override { return queue_->mark(); }
    void after(const Mark& mark) override { queue_->after(mark); }
    void wait(const Mark& mark) override {
        ++waits_;
        queue_->wait(mark);
    }
    QueueTimes take_times() override { return queue_->take_times(); }

  private:
    std::unique_ptr<Queue> queue_;
    int& waits_;
    std::size_t& uploaded_;
};

class CountingDevice : public Device {
  public:
    const std::string& name() const override { return device_->name(); }
    std::string description() const override { return device_->description(); }
    std::size_t memory_bytes() const override { return device_->memory_bytes(); }
    std::size_t memory_left() const override { return device_->memory_left(); }
    std::unique_ptr<Queue> make_queue() override {
        return std::make_unique<CountingQueue>(device_->make_queue(), waits, uploaded);
    }
    std::size_t queues_wanted() const override { return 1; }

    int waits = 0;
    std::size_t uploaded = 0;  // bytes

  private:
    std::byte* allocate(std::size_t bytes) override {
        DeviceMemory memory(device_, bytes);
        std::byte* const address = memory.address();
        memory_.emplace(address, std::move(memory));
        return address;
    }
    void release(std::byte* address, std::size_t) override { memory_.erase(address); }

    std::shared_ptr<Device> device_ = make_cpu_device(std::size_t{1} << 26, 2);
    std::map<std::byte*, DeviceMemory> memory_;
};

TEST(GrapeRoundTrips, are_one_a_calculation) {
    const auto device = std::make_shared<CountingDevice>();
    GrapeBoard board(device);
    std::vector<Vec3<double>> positions;
    for (int k = 0; k < 200; ++k) positions.push_back({0.01 * k, 0, 0});
    const std::vector<double> ones(200, 1);
    for (int step = 0; step < 5; ++step) {
        const int before = device->waits;
        for (std::size_t k = 0; k < 200; ++k) board.write_positions(k, std::span(positions).subspan(k, 1));
        board.write_masses(0, ones);
        board.write_radii(0, ones);
        board.start_forces_among({0, 200}, {0, 200}, 0.1);
        board.start_neighbours({0, 200}, {0, 200});
        EXPECT_EQ(device->waits, before);
        EXPECT_EQ(board.forces().size(), 200U);
        EXPECT_GT(board.neighbours().found.size(), 10000U);
        // the first search does not know how many neighbours there will be
        EXPECT_EQ(device->waits - before, step == 0 ? 2 : 1);
    }
}

TEST(GrapeTargets, that_are_the_first_sources_are_not_sent_again) {
    const auto device = std::make_shared<CountingDevice>();
    GrapeBoard board(device);
    std::vector<Vec3<double>> positions;
    for (int k = 0; k < 200; ++k) positions.push_back({0.01 * k, 0, 0});
    board.write_positions(0, positions);
    board.write_masses(0, std::vector<double>(200, 1));
    const auto forces_on_targets = [&] {
        board.start_forces(150, {0, 200}, 0.1);
        const auto forces = board.forces();
        return std::vector<GrapeForce>(forces.begin(), forces.end());
    };
    board.write_targets(std::span(positions).first(150));
    const double by_themselves = forces_on_targets()[3].potential;
    EXPECT_EQ(device->uploaded, 200U * (24 + 8));
    // The source of number 3 goes, the target stays where it was.
    board.write_positions(3, {{Vec3<double>{1e6, 0, 0}}});
    EXPECT_NEAR(by_themselves - forces_on_targets()[3].potential, 1 / 0.1, 1e-4);
    EXPECT_EQ(device->uploaded, 200U * (24 + 8) + 24 + 150 * 24);
    EXPECT_EQ(forces_on_targets().size(), 150U);
    EXPECT_EQ(device->uploaded, 200U * (24 + 8) + 24 + 150 * 24);
}

}  // namespace trellis::round_trips_test
