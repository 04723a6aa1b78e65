// A Comm that passes the messages of every exchange to a test, which may change them.
#pragma once

#include <functional>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis::checks {

class WatchedComm : public Comm {
  public:
    using Watch = std::function<void(std::vector<Message>&)>;
    WatchedComm(Comm& comm, Watch watch) : comm_(comm), watch_(std::move(watch)) {}

    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }
    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        watch_(messages);
        return comm_.begin_exchange(std::move(messages));
    }
    void send(int to, std::span<const std::byte> bytes) override { comm_.send(to, bytes); }
    std::vector<std::byte> receive(int from) override { return comm_.receive(from); }
    std::vector<std::byte> all_gather(std::span<const std::byte> own) override { return comm_.all_gather(own); }
    [[noreturn]] void abort(const std::string& why, int) override { throw RunError(why); }

  private:
    std::shared_ptr<Comm> part(int colour) override { return comm_.split(colour); }

    Comm& comm_;
    Watch watch_;
};

}  // namespace trellis::checks
