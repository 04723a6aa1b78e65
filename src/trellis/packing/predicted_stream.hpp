// Values that are sent at every step, as differences from a prediction that both sides make from the values of former
// steps. Values are rounded before they are predicted, so that the received ones do not depend on the prediction.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trellis/packing/packed_integers.hpp"

namespace trellis {

// The values of the last two steps, in the order in which they were sent.
class History {
  public:
    std::uint32_t steps() const { return steps_; }

    // Predicts the next value: `otherwise` without a former step, the value of the last step after one, and the
    // straight line through the last two values after more.
    double expected(double otherwise) const {
        if (steps_ == 0) return otherwise;
        const double last = last_[now_.size()];
        return steps_ == 1 ? last : last + (last - before_[now_.size()]);
    }
    double note(double value) { return now_.emplace_back(value); }
    void end_step() {
        ++steps_;
        before_ = std::exchange(last_, std::exchange(now_, std::move(before_)));
        now_.clear();
    }

  private:
    std::uint32_t steps_ = 0;
    std::vector<double> before_, last_, now_;
};

// Both streams have the same calls and return the received value. code (rounding.hpp) makes an integer of a value;
// otherwise is its prediction without history. begin and end bound a section, best of values of similar size.
class Outgoing {
  public:
    Outgoing(History& history, ByteWriter& out) : history_(history), out_(out) {}

    void begin(std::size_t count) { differences_.reserve(count); }
    template <class Code>
    double pass(const Code& code, double value, double otherwise) {
        const auto integer = static_cast<std::uint64_t>(code.integer(value));
        const auto expected = static_cast<std::uint64_t>(code.integer(history_.expected(otherwise)));
        differences_.push_back(static_cast<std::int64_t>(integer - expected));
        return history_.note(code.value(static_cast<std::int64_t>(integer)));
    }
    void end() {
        pack(differences_, out_);
        differences_.clear();
    }
    // Sends a value as it is.
    double plain(double value) { return out_.put(value), value; }

  private:
    History& history_;
    ByteWriter& out_;
    std::vector<std::int64_t> differences_;
};

class Incoming {
  public:
    Incoming(History& history, ByteReader& in) : history_(history), in_(in) {}

    void begin(std::size_t count) {
        next_ = 0;
        differences_.resize(count);
        unpack(in_, differences_);
    }
    template <class Code>
    double pass(const Code& code, double, double otherwise) {
        const auto expected = static_cast<std::uint64_t>(code.integer(history_.expected(otherwise)));
        const std::uint64_t integer = static_cast<std::uint64_t>(differences_[next_++]) + expected;
        return history_.note(code.value(static_cast<std::int64_t>(integer)));
    }
    void end() {}
    double plain(double) { return in_.get<double>(); }

  private:
    History& history_;
    ByteReader& in_;
    std::size_t next_ = 0;
    std::vector<std::int64_t> differences_;
};

}  // namespace trellis
