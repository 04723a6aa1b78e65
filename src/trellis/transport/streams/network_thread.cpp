#include "trellis/transport/streams/network_thread.hpp"

#include <openssl/crypto.h>
#include <pthread.h>
#include <unistd.h>

#include <asio/executor_work_guard.hpp>
#include <csignal>
#include <mutex>
#include <thread>

namespace trellis {

namespace {

struct NetworkThread {
    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard = asio::make_work_guard(io);
    pid_t process = getpid();
};

void start(NetworkThread& network) {
    // the thread outlives what would clean up after OpenSSL at the end of the process
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
    // signals are the program's: its other threads take them
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([&network] { network.io.run(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

// The object is never released: connections may end after the last static object.
asio::io_context& network() {
    static std::mutex mutex;
    static NetworkThread* present = nullptr;
    const std::scoped_lock lock(mutex);
    if (present == nullptr || present->process != getpid()) {
        present = new NetworkThread;
        start(*present);
    }
    return present->io;
}

}  // namespace trellis
