#include "trellis/transport/connections/ssh_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <asio/local/stream_protocol.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "trellis/transport/streams/socket_stream.hpp"
#include "trellis/transport/streams/transport_error.hpp"

namespace trellis {

namespace {

using Socket = asio::local::stream_protocol::socket;

class SshStream : public SocketStream<Socket> {
  public:
    SshStream(Socket socket, std::string peer, pid_t process)
        : SocketStream(std::move(socket), std::move(peer)), process_(process) {}
    // ssh ends when its standard input does; SIGTERM ends one that still asks for a password.
    ~SshStream() override {
        close();
        kill(process_, SIGTERM);
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
    pid_t process = 0;
    const int failure = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
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
