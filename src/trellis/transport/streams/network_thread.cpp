#include "trellis/transport/streams/network_thread.hpp"

#include <openssl/ssl.h>
#include <pthread.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/ssl/error.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

constexpr std::chrono::milliseconds between_checks{100};

struct NetworkThread {
    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard = asio::make_work_guard(io);
    const pid_t process = getpid();
    std::thread thread;
    std::atomic<bool> ended = false;
    std::mutex mutex;  // guards users
    std::vector<std::weak_ptr<NetworkUser>> users;
};

// The thread is never released, since objects that use it may be destroyed last.
struct Present {
    std::mutex mutex;
    NetworkThread* network = nullptr;
    bool ends_at_exit = false;
};
Present& present() {
    static Present one;
    return one;
}

void end_users(NetworkThread* network) {
    const std::shared_ptr<void> busy(network, [](NetworkThread* ending) {
        ending->ended = true;
        ending->io.stop();
    });
    std::vector<std::weak_ptr<NetworkUser>> users;
    {
        const std::scoped_lock lock(network->mutex);
        users.swap(network->users);
    }
    for (const auto& weak : users)
        if (const auto user = weak.lock()) user->network_ends(busy);
}

void end_at_exit() {
    NetworkThread* network = nullptr;
    {
        const std::scoped_lock lock(present().mutex);
        network = present().network;
    }
    const bool runs = network != nullptr && network->process == getpid();  // a forked child has no other threads
    if (!runs || network->io.get_executor().running_in_this_thread()) return;
    asio::post(network->io, [network] { end_users(network); });
    network->thread.join();
}

// Objects made before end_at_exit is registered are released after it has run: those of OpenSSL, if other parts of the
// program clean it up, and the error categories.
void register_end() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
    OPENSSL_init_ssl(0, nullptr);
    asio::error::get_netdb_category();
    asio::error::get_addrinfo_category();
    asio::error::get_misc_category();
    asio::error::get_ssl_category();
    asio::ssl::error::get_stream_category();
    std::atexit(end_at_exit);
}

void start(NetworkThread& network) {
    // signals are delivered to other threads of the program
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    network.thread = std::thread([&network] { network.io.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

NetworkThread& network_thread() {
    const std::scoped_lock lock(present().mutex);
    if (!std::exchange(present().ends_at_exit, true)) register_end();
    NetworkThread*& network = present().network;
    if (network == nullptr || network->process != getpid()) {
        network = new NetworkThread;
        start(*network);
    }
    return *network;
}

}  // namespace

asio::io_context& network() { return network_thread().io; }

void run_on_network(asio::awaitable<void> work) {
    NetworkThread& network = network_thread();
    // asio::use_future would start threads of Asio's system executor, which a forked child waits for when it exits
    const auto result = std::make_shared<std::promise<void>>();
    auto done = result->get_future();
    asio::co_spawn(network.io, std::move(work), [result](const std::exception_ptr& failure) {
        failure ? result->set_exception(failure) : result->set_value();
    });
    while (done.wait_for(between_checks) != std::future_status::ready)
        if (network.ended) throw RunError("the program ends, and its connections with it");
    done.get();
}

void add_network_user(const std::shared_ptr<NetworkUser>& user) {
    NetworkThread& network = network_thread();
    const std::scoped_lock lock(network.mutex);
    std::erase_if(network.users, [](const auto& known) { return known.expired(); });
    network.users.emplace_back(user);
}

}  // namespace trellis
