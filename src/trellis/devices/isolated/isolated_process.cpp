#include "trellis/devices/isolated/isolated_process.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/isolated/kernel_worker.hpp"

namespace trellis {

namespace {

[[noreturn]] void throw_ended() {
    throw std::runtime_error("the process of its kernels has ended: one has used memory beyond its arrays");
}

class LaunchSocket : public KernelProcess::Lane {
  public:
    explicit LaunchSocket(std::shared_ptr<IsolatedProcess> process) : process_(std::move(process)) {}

    void run(std::string_view kernel, std::span<const std::byte> graph, const KernelCall& call) override {
        if (socket_.number() < 0) socket_ = process_->connect();
        WorkerAnswer answer;
        if (!send(kernel, graph, call) || !receive_all(socket_, writable_object_bytes(answer))) throw_ended();
        if (answer.error_bytes == 0) return;
        std::string error(answer.error_bytes, ' ');
        if (!receive_all(socket_, std::as_writable_bytes(std::span(error)))) throw_ended();
        throw std::runtime_error(error);
    }

  private:
    bool send(std::string_view kernel, std::span<const std::byte> graph, const KernelCall& call) {
        const WorkerLaunch launch{static_cast<std::uint32_t>(kernel.size()),
                                  static_cast<std::uint32_t>(call.memory.size()), graph.size(), call.constants.size()};
        message_.resize(sizeof launch + kernel.size() + graph.size() + call.constants.size() +
                        call.memory.size() * sizeof(std::uint64_t));
        auto next = message_.begin();
        const auto put = [&next](std::span<const std::byte> bytes) { next = std::ranges::copy(bytes, next).out; };
        put(object_bytes(launch));
        put(std::as_bytes(std::span(kernel)));
        put(graph);
        put(call.constants);
        for (const std::byte* memory : call.memory) {
            const std::uint64_t offset = memory == nullptr ? no_memory : process_->arena().offset_of(memory);
            put(object_bytes(offset));
        }
        return send_all(socket_, message_);
    }

    const std::shared_ptr<IsolatedProcess> process_;
    OwnDescriptor socket_;
    std::vector<std::byte> message_;
};

}  // namespace

IsolatedProcess::IsolatedProcess(std::shared_ptr<KernelProcesses> starter, std::size_t memory, int threads)
    : starter_(std::move(starter)), threads_(threads), arena_(memory) {}

std::unique_ptr<KernelProcess::Lane> IsolatedProcess::make_lane() {
    return std::make_unique<LaunchSocket>(shared_from_this());
}

OwnDescriptor IsolatedProcess::connect() {
    auto ends = socket_pair();
    const std::scoped_lock lock(mutex_);
    if (ended_) throw_ended();
    if (!std::exchange(started_, true)) {
        auto control = socket_pair();
        starter_->start(arena_.size(), threads_, arena_.descriptor(), control[1]);
        control_ = std::move(control[0]);
        arena_.close_descriptor();
    }
    const std::byte one{1};
    const int passed = ends[1].number();
    if (!send_all(control_, {&one, 1}, {&passed, 1})) throw_ended();
    return std::move(ends[0]);
}

void IsolatedProcess::end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    control_.close();
}

}  // namespace trellis
