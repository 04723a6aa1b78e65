// The thread that carries all connections of a client program.
#pragma once

#include <asio/io_context.hpp>

namespace trellis {

// Its executor. The thread begins with the first call, and ends with the process; a child that fork has made gets one
// of its own.
asio::io_context& network();

}  // namespace trellis
