// The thread that carries all connections of a client program.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <memory>

namespace trellis {

// Its executor. The thread begins with the first call; a child that fork has made gets one of its own. When the program
// exits the thread ends, before OpenSSL is cleaned up: what is posted later never runs.
asio::io_context& network();

// Runs work there and waits for it. Throws what it throws, or RunError if the program exits meanwhile.
void run_on_network(asio::awaitable<void> work);

// What the thread carries.
class NetworkUser {
  public:
    virtual ~NetworkUser() = default;
    // The program exits: ends what is under way, and answers whoever waits. Called by the thread, which goes on until
    // all have released busy.
    virtual void network_ends(std::shared_ptr<void> busy) = 0;
};

// From now on it is told of the end.
void add_network_user(const std::shared_ptr<NetworkUser>& user);

}  // namespace trellis
