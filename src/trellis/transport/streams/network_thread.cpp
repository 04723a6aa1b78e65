#include "trellis/transport/streams/network_thread.hpp"

#include <openssl/ssl.h>
#include <pthread.h>

#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/ssl/error.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/forks/one_of_process.hpp"

namespace trellis {

namespace {

constexpr std::chrono::milliseconds between_checks{100};

class NetworkThread {
  public:
    NetworkThread();
    void end();
    void end_users();

    asio::io_context io{1};
    std::atomic<bool> ended = false;
    std::mutex mutex;  // guards users
    std::vector<std::weak_ptr<NetworkUser>> users;

  private:
    asio::executor_work_guard<asio::io_context::executor_type> guard_ = asio::make_work_guard(io);
    std::thread thread_;
};

// Makes what end() needs before the call of end() is registered, so that it is released after that call: objects of
// OpenSSL, if other parts of the program clean it up, and the error categories.
void make_before_end() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
    OPENSSL_init_ssl(0, nullptr);
    asio::error::get_netdb_category();
    asio::error::get_addrinfo_category();
    asio::error::get_misc_category();
    asio::error::get_ssl_category();
    asio::ssl::error::get_stream_category();
}

NetworkThread::NetworkThread() {
    make_before_end();
    // signals are delivered to other threads of the program
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { io.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NetworkThread::end_users() {
    const std::shared_ptr<void> busy(this, [](NetworkThread* ending) {
        ending->ended = true;
        ending->io.stop();
    });
    std::vector<std::weak_ptr<NetworkUser>> notified;
    {
        const std::scoped_lock lock(mutex);
        notified.swap(users);
    }
    for (const auto& weak : notified)
        if (const auto user = weak.lock()) user->network_ends(busy);
}

void NetworkThread::end() {
    if (io.get_executor().running_in_this_thread()) return;
    asio::post(io, [this] { end_users(); });
    thread_.join();
}

NetworkThread& network_thread() { return OneOfProcess<NetworkThread>::get(); }

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
