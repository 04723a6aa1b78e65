// A device that fails, or gives wrong results, after a given number of kernel launches.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "trellis/devices/cpu_device.hpp"

namespace trellis {

enum class Fault {
    none,
    lost,         // every wait fails
    wrong,        // downloads contain NaN
    one_bit,      // one bit of one download is wrong
    one_bit_each  // one bit of each download is wrong
};

// The processor under another name, whose kernels are right for a given number of launches. New memory is filled with
// the byte `fresh`.
class FaultyDevice : public Device {
  public:
    FaultyDevice(Fault fault, int good_launches, std::string name = "faulty:0", std::byte fresh = std::byte{0xff})
        : name_(std::move(name)), fault_(fault), good_launches_(good_launches), fresh_(fresh) {}

    const std::string& name() const override { return name_; }
    std::string description() const override { return "for tests"; }
    std::size_t memory_bytes() const override { return real_->memory_bytes(); }
    std::size_t memory_left() const override { return real_->memory_left(); }
    std::size_t queues_wanted() const override { return 2; }
    const std::string& log() const { return log_; }  // l for each launch, w for each wait
    int under_way() const { return under_way_; }     // queues with launches that have not been waited for
    std::unique_ptr<Queue> make_queue() override {
        if (broken() && fault_ == Fault::lost) throw DeviceError(name_, "was lost");
        return std::make_unique<FaultyQueue>(*this);
    }

  private:
    class FaultyQueue : public Queue {
      public:
        explicit FaultyQueue(FaultyDevice& device) : device_(device), real_(device.real_->make_queue()) {}
        void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
            real_->upload(to, offset, from);
        }
        void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
            real_->download(from, offset, to);
            if (!device_.broken() || device_.fault_ == Fault::lost || to.empty()) return;
            real_->wait();
            if (device_.fault_ == Fault::wrong) {
                const float nonsense = std::numeric_limits<float>::quiet_NaN();
                std::memcpy(to.data(), &nonsense, sizeof nonsense);
            } else if (device_.fault_ == Fault::one_bit_each ||
                       std::exchange(device_.fault_, Fault::none) == Fault::one_bit) {
                to[to.size() / 2] ^= std::byte{4};
            }
        }
        void launch(std::string_view kernel, std::span<const std::byte> constants,
                    std::span<const DeviceMemory* const> memory) override {
            --device_.good_launches_;
            device_.log_ += 'l';
            if (!std::exchange(launched_, true)) ++device_.under_way_;
            real_->launch(kernel, constants, memory);
        }
        Mark mark() override { return real_->mark(); }
        void after(const Mark& mark) override { real_->after(mark); }
        void wait(const Mark& mark) override {
            device_.log_ += 'w';
            if (std::exchange(launched_, false)) --device_.under_way_;
            real_->wait({real_.get(), mark.number});
            if (device_.broken() && device_.fault_ == Fault::lost) throw DeviceError(device_.name_, "was lost");
        }
        QueueTimes take_times() override { return real_->take_times(); }

      private:
        FaultyDevice& device_;
        std::unique_ptr<Queue> real_;
        bool launched_ = false;
    };

    bool broken() const { return good_launches_ < 0 && fault_ != Fault::none; }
    std::byte* allocate(std::size_t bytes) override {
        DeviceMemory memory(real_, bytes);
        std::byte* address = memory.address();
        std::memset(address, std::to_integer<int>(fresh_), bytes);
        memory_.emplace(address, std::move(memory));
        return address;
    }
    void release(std::byte* address, std::size_t) override { memory_.erase(address); }

    const std::string name_;
    Fault fault_;
    int good_launches_;
    const std::byte fresh_;
    std::string log_;
    int under_way_ = 0;
    std::shared_ptr<Device> real_ = make_cpu_device(std::size_t{1} << 30, 1);
    std::map<std::byte*, DeviceMemory> memory_;
};

}  // namespace trellis
