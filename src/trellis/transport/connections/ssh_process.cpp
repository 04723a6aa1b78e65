#include "trellis/transport/connections/ssh_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <asio/local/stream_protocol.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "trellis/transport/streams/socket_stream.hpp"
#include "trellis/transport/streams/transport_error.hpp"

namespace trellis {

namespace {

using Socket = asio::local::stream_protocol::socket;

constexpr std::chrono::milliseconds longest_end{500}, between_looks{5};

class SshStream : public SocketStream<Socket> {
  public:
    SshStream(Socket socket, std::string peer, pid_t process)
        : SocketStream(std::move(socket), std::move(peer)), process_(process) {}
    // ssh ends when its standard input does; SIGTERM ends one that still asks for a password, and SIGKILL one that
    // cannot end.
    ~SshStream() override {
        close();
        kill(process_, SIGTERM);
        for (auto left = longest_end; left.count() > 0; left -= between_looks) {
            if (waitpid(process_, nullptr, WNOHANG) != 0) return;
            std::this_thread::sleep_for(between_looks);
        }
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    SshStream(const SshStream&) = delete;
    SshStream& operator=(const SshStream&) = delete;

  private:
    pid_t process_;
};

std::string from_environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

std::vector<std::string> command_for(const Address& address) {
    std::vector<std::string> words{from_environment("TRELLIS_SSH", "ssh")};
    if (address.port != 0) words.insert(words.end(), {"-p", std::to_string(address.port)});
    words.insert(words.end(), {"-T", address.host, from_environment("TRELLIS_REMOTE", "trellis"), "serve", "--stdio"});
    return words;
}

pid_t start(std::vector<std::string> words, int socket) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    // The thread that calls blocks all signals; ssh takes them, so that Ctrl-C ends one that asks for a password.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);  // which Python ignores
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    const int failure = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw TransportError("cannot run '" + words[0] + "': " + std::strerror(failure));
    return process;
}

}  // namespace

std::shared_ptr<Stream> start_ssh(const asio::any_io_executor& executor, const Address& address) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw TransportError(std::string("cannot make a socket: ") + std::strerror(errno));
    Socket ours(executor, asio::local::stream_protocol(), ends[0]);
    pid_t process = 0;
    try {
        process = start(command_for(address), ends[1]);
    } catch (const TransportError&) {
        close(ends[1]);
        throw;
    }
    close(ends[1]);
    return std::make_shared<SshStream>(std::move(ours), address.server(), process);
}

}  // namespace trellis
