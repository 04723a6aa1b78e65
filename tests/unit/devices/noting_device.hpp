// A device that notes its calls, for tests of their order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/cpu_device.hpp"

namespace trellis {

using Notes = std::vector<std::string>;

// The processor under another name, which notes "sent" when gathered calls are flushed, "wait" when the host waits.
class NotingDevice : public Device {
  public:
    explicit NotingDevice(Notes& notes) : notes_(notes) {}

    const std::string& name() const override { return name_; }
    std::string description() const override { return "for tests"; }
    std::size_t memory_bytes() const override { return real_->memory_bytes(); }
    std::size_t memory_left() const override { return real_->memory_left(); }
    std::size_t queues_wanted() const override { return 1; }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<NotingQueue>(*this); }

  private:
    class NotingQueue : public Queue {
      public:
        explicit NotingQueue(NotingDevice& device) : notes_(device.notes_), real_(device.real_->make_queue()) {}
        void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
            gathered_ = true;
            real_->upload(to, offset, from);
        }
        void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
            gathered_ = true;
            real_->download(from, offset, to);
        }
        void launch(std::string_view kernel, std::span<const std::byte> constants,
                    std::span<const DeviceMemory* const> memory) override {
            gathered_ = true;
            real_->launch(kernel, constants, memory);
        }
        void flush() override {
            if (gathered_) notes_.emplace_back("sent");
            gathered_ = false;
        }
        Mark mark() override { return real_->mark(); }
        void after(const Mark& mark) override { real_->after({real_.get(), mark.number}); }
        void wait(const Mark& mark) override {
            if (waited_for_ < mark.number) notes_.emplace_back("wait");
            waited_for_ = mark.number;
            real_->wait({real_.get(), mark.number});
        }
        QueueTimes take_times() override { return real_->take_times(); }

      private:
        Notes& notes_;
        bool gathered_ = false;
        std::uint64_t waited_for_ = 0;
        std::unique_ptr<Queue> real_;
    };

    std::byte* allocate(std::size_t bytes) override {
        DeviceMemory memory(real_, bytes);
        std::byte* address = memory.address();
        memory_.emplace(address, std::move(memory));
        return address;
    }
    void release(std::byte* address, std::size_t) override { memory_.erase(address); }

    const std::string name_ = "noting:0";
    Notes& notes_;
    std::shared_ptr<Device> real_ = make_cpu_device(std::size_t{1} << 30, 1);
    std::map<std::byte*, DeviceMemory> memory_;
};

}  // namespace trellis
