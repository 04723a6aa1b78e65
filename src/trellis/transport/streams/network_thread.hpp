// The thread that carries all connections of a client program.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <memory>

namespace trellis {

// The executor of that thread, which begins with the first call; a child process made by fork gets one of its own. When
// the program exits, the thread ends before OpenSSL is cleaned up: what is posted later never runs.
asio::io_context& network();

// Runs work on that thread and waits for it. Rethrows its exception; throws RunError if the program exits meanwhile.
void run_on_network(asio::awaitable<void> work);

// An object with connections on that thread.
class NetworkUser {
  public:
    virtual ~NetworkUser() = default;
    // The program exits: ends connections, and wakes threads that wait for them. Called by the network's thread, which
    // goes on until all users have released busy.
    virtual void network_ends(std::shared_ptr<void> busy) = 0;
};

// From now on `user` is notified when the program exits.
void add_network_user(const std::shared_ptr<NetworkUser>& user);

}  // namespace trellis
