// A Comm that counts the exchanges under way.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "unit/ranks/comm/watched_comm.hpp"

namespace trellis::checks {

class CountingComm : public WatchedComm {
  public:
    explicit CountingComm(Comm& comm) : WatchedComm(comm, [](std::vector<Message>&) {}) {}

    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        most_ = std::max(most_, ++under_way_);
        ++begun_;
        return std::make_unique<Counted>(WatchedComm::begin_exchange(std::move(messages)), under_way_);
    }
    int begun() const { return begun_; }
    int under_way() const { return under_way_; }
    int most() const { return most_; }  // the largest number under way at any time

  private:
    class Counted : public Exchange {
      public:
        Counted(std::unique_ptr<Exchange> exchange, int& under_way)
            : exchange_(std::move(exchange)), under_way_(under_way) {}
        bool progress() override { return exchange_->progress(); }
        std::vector<Message> finish() override {
            --under_way_;
            return exchange_->finish();
        }

      private:
        std::unique_ptr<Exchange> exchange_;
        int& under_way_;
    };

    int begun_ = 0, under_way_ = 0, most_ = 0;
};

}  // namespace trellis::checks
