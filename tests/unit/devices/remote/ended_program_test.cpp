// Programs that exit with open connections: no crash, no endless wait, and the server is notified.
// TRELLIS_ENDED_PROGRAMS: their number, instead of 25.
#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "trellis/devices/remote/open.hpp"
#include "trellis/devices/server/server.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "unit/transport/keys_folder.hpp"

namespace trellis::ended_program_test {

using std::chrono::microseconds;

// As in Python, whose modules use OpenSSL before: it cleans up when the program exits.
[[maybe_unused]] const int cleans_up_at_exit = OPENSSL_init_crypto(0, nullptr);

constexpr unsigned longest_life = 30;   // seconds, of a process that hangs
constexpr int notified_of_the_end = 7;  // exit code

// An object that waits for a device after the network has ended, since it was made before the network began.
struct LateWait {
    std::shared_ptr<Device> device;
    std::unique_ptr<DeviceMemory> memory;
    std::unique_ptr<Queue> queue;
    std::array<std::byte, 64> back{};

    LateWait() = default;
    ~LateWait() {
        if (queue == nullptr) return;
        try {
            queue->wait();
        } catch (const DeviceError& error) {
            _exit(std::string(error.what()).ends_with("the program ends") ? notified_of_the_end : 1);
        }
    }
    LateWait(const LateWait&) = delete;
    LateWait& operator=(const LateWait&) = delete;
};
LateWait late_wait;

// A process that calls begin, and then exits as other programs do.
template <class Begin>
pid_t start(Begin begin) {
    const pid_t process = fork();
    if (process != 0) return process;
    alarm(longest_life);
    begin();
    std::exit(0);
}

// The exit code; -1 if a signal has ended the process.
int exit_code_of(pid_t process) {
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class ServerProcess {
  public:
    ServerProcess() {
        if (pipe(pipe_.data()) != 0) throw std::runtime_error("no pipe");
        process_ = start([this] {
            const auto note = [this](const std::string& event, const auto& /*facts*/) {
                if (event == "closed") report('c');
            };
            Server server({}, note);
            report(server.listen_tls("127.0.0.1", 0));
            server.run();
        });
        std::uint16_t port = 0;
        if (read(pipe_[0], &port, sizeof port) != sizeof port) throw std::runtime_error("no server");
        host_ = "127.0.0.1:" + std::to_string(port);
    }
    ~ServerProcess() {
        kill();
        exit_code_of(process_);
        for (const int end : pipe_) close(end);
    }
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    const std::string& host() const { return host_; }
    void kill() const { ::kill(process_, SIGKILL); }
    // True if the session of a client is closed within five seconds.
    bool has_lost_a_client() const {
        pollfd waits{pipe_[0], POLLIN, 0};
        return poll(&waits, 1, 5000) == 1;
    }

  private:
    template <class T>
    void report(const T& word) {
        if (write(pipe_[1], &word, sizeof word) != sizeof word) _exit(1);
    }

    std::array<int, 2> pipe_{};
    pid_t process_ = 0;
    std::string host_;
};

class EndedProgramTest : public testing::Test {
  protected:
    EndedProgramTest() { KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"here", Server::fingerprint()}); }

    std::string device_of(const ServerProcess& server) const {
        KnownKeys(keys_.path(), KnownKeys::List::trusted).add({server.host(), Server::fingerprint()});
        return "trellis://" + server.host() + "/cpu";
    }

    KeysFolder keys_;
};

TEST_F(EndedProgramTest, exits_while_it_reconnects_to_a_server_that_was_killed) {
    const char* given = std::getenv("TRELLIS_ENDED_PROGRAMS");
    const int programs = given == nullptr ? 25 : std::atoi(given);
    int failed = 0;
    for (int k = 0; k < programs; ++k) {
        const ServerProcess server;
        const std::string name = device_of(server);
        const pid_t client = start([&] {
            const auto device = open_device(name, 1 << 20);
            server.kill();
            std::this_thread::sleep_for(microseconds(300 + 30 * (k % 25)));
            std::exit(0);  // the device and its connection are still there
        });
        failed += exit_code_of(client) == 0 ? 0 : 1;
    }
    EXPECT_EQ(failed, 0) << "of " << programs;
}

TEST_F(EndedProgramTest, notifies_the_server_and_threads_that_wait_later) {
    const ServerProcess server;
    const std::string name = device_of(server);
    const pid_t client = start([&] {
        late_wait.device = open_device(name, 1 << 20);
        late_wait.memory = std::make_unique<DeviceMemory>(late_wait.device, late_wait.back.size());
        late_wait.queue = late_wait.device->make_queue();
        late_wait.queue->download(*late_wait.memory, 0, late_wait.back);
    });
    EXPECT_EQ(exit_code_of(client), notified_of_the_end);
    EXPECT_TRUE(server.has_lost_a_client());
}

}  // namespace trellis::ended_program_test
