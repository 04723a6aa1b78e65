// A stream over two pipes: the standard input and output of a server that ssh has started.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// The stream reads from file descriptor `from`, writes to `to`, and closes both.
std::shared_ptr<Stream> pipe_stream(const asio::any_io_executor& executor, int from, int to);

}  // namespace trellis
