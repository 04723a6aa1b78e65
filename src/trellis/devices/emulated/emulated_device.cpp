#include "trellis/devices/emulated/emulated_device.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/emulated/emulated_clock.hpp"
#include "trellis/devices/kernels.hpp"

namespace trellis {

namespace {

constexpr std::string_view prefix = "rehearsal:";
constexpr std::align_val_t alignment{64};
using Clock = EmulatedClock::Clock;
constexpr Clock::time_point at_once = Clock::time_point::min();

struct Kind {
    double seconds;                     // that each kernel takes
    std::optional<std::uint64_t> seed;  // of random results; empty: kernels compute
};

template <class Number>
bool read(std::string_view text, Number& number) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size();
}

Kind kind_of_name(const std::string& name) {
    const std::string_view text = std::string_view(name).substr(prefix.size());
    const std::size_t colon = text.find(':');
    Kind kind{0, std::nullopt};
    bool good = read(text.substr(0, colon), kind.seconds) && kind.seconds >= 0 && kind.seconds <= 3600;
    if (colon != std::string_view::npos) good = good && read(text.substr(colon + 1), kind.seed.emplace());
    if (!good)
        throw InputError("there is no device '" + name +
                         "': allowed are rehearsal:SECONDS and rehearsal:SECONDS:SEED, 0 to 3600 seconds a kernel and"
                         " a whole number as the seed");
    return kind;
}

class EmulatedDevice : public LocalDevice {
  public:
    EmulatedDevice(const std::string& name, const Kind& kind, std::size_t memory, int threads)
        : LocalDevice(name, memory), kind_(kind), threads_(threads) {}

    std::string description() const override {
        return "an emulated device whose kernels take " + std::to_string(kind_.seconds) + " s" +
               (kind_.seed ? ", results random" : "");
    }
    std::unique_ptr<LocalQueue> make_local_queue() override;
    std::size_t queues_wanted() const override { return 2; }

    const Kind& kind() const { return kind_; }
    int threads() const { return threads_; }
    // The time at which a kernel launched now will end: kernels run one after another.
    Clock::time_point end_of_next_kernel() {
        const auto length = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kind_.seconds));
        return free_at_ = std::max(free_at_, Clock::now()) + length;
    }

  private:
    std::byte* take(std::size_t bytes) override { return static_cast<std::byte*>(::operator new(bytes, alignment)); }
    void give_back(std::byte* address) override { ::operator delete(address, alignment); }

    const Kind kind_;
    const int threads_;
    Clock::time_point free_at_{};  // used by the thread of the clock alone
    std::uint64_t queues_ = 0;
};

// The calls of a queue. The clock may own it a little longer than the queue exists.
class Calls : public std::enable_shared_from_this<Calls> {
  public:
    // A call returns the time at which it ends; empty if it cannot begin yet.
    using Body = std::function<std::optional<Clock::time_point>()>;

    explicit Calls(EmulatedDevice& device) : device_(device) {}

    void push(Body body, bool always = false) {
        const std::scoped_lock lock(mutex_);
        calls_.push_back({std::move(body), always});
        ++submitted_;
        if (!std::exchange(busy_, true))
            EmulatedClock::of_process().at(Clock::now(), [self = shared_from_this()] { self->work(); });
    }

    std::uint64_t submitted() const {
        const std::scoped_lock lock(mutex_);
        return submitted_;
    }
    bool reached(std::uint64_t number) const {
        const std::scoped_lock lock(mutex_);
        return completed_ >= number;
    }
    void wait(std::uint64_t number) const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return completed_ >= number; });
    }

    QueueTimes take_times() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(times_, {});
    }
    template <class Note>
    void note(Note&& note) {
        const std::scoped_lock lock(mutex_);
        note(times_);
    }

  private:
    struct Call {
        Body body;
        bool always;  // run also after a failure
    };

    const Call& next() const {
        const std::scoped_lock lock(mutex_);
        return calls_.front();
    }

    // Runs calls until one takes time; continues when that one has ended.
    void work() {
        constexpr std::chrono::microseconds before_retry{50};
        bool more = true;
        while (more) {
            std::optional<Clock::time_point> end = at_once;
            try {
                if (const Call& call = next(); call.always || !device_.failed()) end = call.body();
            } catch (const std::exception& error) {
                device_.fail(std::string("failed: ") + error.what());
            }
            const auto self = shared_from_this();
            if (!end) return EmulatedClock::of_process().at(Clock::now() + before_retry, [self] { self->work(); });
            if (*end > Clock::now())
                return EmulatedClock::of_process().at(*end, [self] {
                    if (self->ended()) self->work();
                });
            more = ended();
        }
    }

    // Removes the first call, which has ended. Returns true if there is another one.
    bool ended() {
        const std::scoped_lock lock(mutex_);
        calls_.pop_front();
        ++completed_;
        changed_.notify_all();
        return busy_ = !calls_.empty();
    }

    EmulatedDevice& device_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::deque<Call> calls_;
    std::uint64_t submitted_ = 0, completed_ = 0;
    bool busy_ = false;  // the clock has a call of this queue
    QueueTimes times_;
};

// Random numbers (splitmix64; Steele et al. 2014).
class Stream {
  public:
    explicit Stream(std::uint64_t seed) : state_(seed) {}

    // Two numbers of single precision, of either sign and of size 1 to 2; as one double they are finite.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        constexpr std::uint64_t ones = 0x3f8000003f800000U, signs_and_fractions = 0x807fffff807fffffU;
        return ((z ^ (z >> 31)) & signs_and_fractions) | ones;
    }

  private:
    std::uint64_t state_;
};

class EmulatedQueue : public LocalQueue {
  public:
    EmulatedQueue(EmulatedDevice& device, std::uint64_t number)
        : device_(device),
          calls_(std::make_shared<Calls>(device)),
          stream_(device.kind().seed.value_or(0) + (number << 32)) {}
    ~EmulatedQueue() override { calls_->wait(calls_->submitted()); }
    EmulatedQueue(const EmulatedQueue&) = delete;
    EmulatedQueue& operator=(const EmulatedQueue&) = delete;

    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
        calls_->push([this, target = to.address() + offset, from] {
            std::ranges::copy(from, target);
            calls_->note([&](QueueTimes& times) { times.bytes_up += from.size(); });
            return at_once;
        });
    }

    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
        calls_->push([this, source = from.address() + offset, to] {
            if (device_.kind().seed)
                draw(to);
            else
                std::copy_n(source, to.size(), to.begin());
            calls_->note([&](QueueTimes& times) { times.bytes_down += to.size(); });
            return at_once;
        });
    }

    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override {
        std::vector<std::byte*> addresses;
        for (const DeviceMemory* part : memory) addresses.push_back(part->address());
        calls_->push([this, run = find_kernel(DeviceKind::cpu, kernel), name = std::string(kernel),
                      copied = std::vector(constants.begin(), constants.end()), addresses = std::move(addresses)] {
            const auto end = device_.end_of_next_kernel(), start = Clock::now();
            if (run == nullptr) {
                device_.fail("has no kernel '" + name + "'");
            } else if (!device_.kind().seed) {
                set_thread_count(device_.threads());
                run({copied, addresses});
            }
            const std::chrono::duration<double> computed = Clock::now() - start;
            const double seconds = std::max(device_.kind().seconds, computed.count());
            calls_->note([&](QueueTimes& times) {
                times.kernel += seconds;
                times.kernels[name] += seconds;
            });
            return end;
        });
    }

    Mark mark() override { return {this, calls_->submitted()}; }

    void after(const Mark& mark) override {
        calls_->push([other = static_cast<const EmulatedQueue*>(mark.queue)->calls_,
                      number = mark.number]() -> std::optional<Clock::time_point> {
            return other->reached(number) ? std::optional(at_once) : std::nullopt;
        });
    }

    void wait(const Mark& mark) override {
        calls_->wait(mark.number);
        device_.throw_failure();
    }

    void then(std::function<void()> call) override {
        calls_->push([call = std::move(call)] { return call(), at_once; }, true);
    }

    QueueTimes take_times() override { return calls_->take_times(); }

  private:
    void draw(std::span<std::byte> to) {
        for (; to.size() >= sizeof(std::uint64_t); to = to.subspan(sizeof(std::uint64_t))) {
            const std::uint64_t two = stream_.next();
            std::memcpy(to.data(), &two, sizeof two);
        }
        const std::uint64_t rest = stream_.next();
        std::memcpy(to.data(), &rest, to.size());
    }

    EmulatedDevice& device_;
    std::shared_ptr<Calls> calls_;
    Stream stream_;
};

std::unique_ptr<LocalQueue> EmulatedDevice::make_local_queue() {
    return std::make_unique<EmulatedQueue>(*this, queues_++);
}

}  // namespace

bool is_emulated(std::string_view name) { return name.starts_with(prefix); }

std::shared_ptr<LocalDevice> make_emulated_device(const std::string& kind, std::size_t memory, int threads,
                                                  const std::string& name) {
    return std::make_shared<EmulatedDevice>(name, kind_of_name(kind), memory, threads);
}

}  // namespace trellis
