#include "trellis/ranks/comm/comm.hpp"

#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/deferred_gather.hpp"
#include "trellis/ranks/comm/finished_exchange.hpp"

namespace trellis {
namespace {

// Gathers in post.
class ImmediateGather final : public DeferredGather {
  public:
    explicit ImmediateGather(Comm& comm) : comm_(comm) {}

    void post(std::span<const std::byte> own) override { gathered_ = comm_.begin_all_gather(own); }
    bool pending() const override { return gathered_ != nullptr; }
    std::vector<Message> collect() override { return std::exchange(gathered_, nullptr)->finish(); }

  private:
    Comm& comm_;
    std::unique_ptr<Exchange> gathered_;
};

}  // namespace

std::unique_ptr<Exchange> Comm::begin_all_gather(std::span<const std::byte> own) {
    const auto bytes = all_gather(own);
    std::vector<Message> messages;
    for (int from = 0; from < size(); ++from) {
        const auto value = std::span(bytes).subspan(static_cast<std::size_t>(from) * own.size(), own.size());
        messages.push_back({from, {value.begin(), value.end()}});
    }
    return std::make_unique<FinishedExchange>(std::move(messages));
}

std::unique_ptr<DeferredGather> Comm::make_deferred_gather() { return std::make_unique<ImmediateGather>(*this); }

std::shared_ptr<Comm> Comm::split(int colour) {
    if (colour < 0) throw InputError("the colour of a rank is " + std::to_string(colour) + ": allowed is 0 or more");
    return part(colour);
}

std::shared_ptr<Comm> own_site(const std::shared_ptr<Comm>& comm) {
    auto part = comm->part_on_site();
    return part == nullptr ? comm : part;
}

}  // namespace trellis
