// A server on another machine, which the user's ssh starts, and whose standard input and output it carries.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "trellis/transport/addresses/address.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// Starts `$TRELLIS_SSH HOST $TRELLIS_REMOTE serve --stdio`, by default `ssh` and `trellis`. The process is waited for
// when the stream ends. Throws TransportError if it cannot be started.
std::shared_ptr<Stream> start_ssh(const asio::any_io_executor& executor, const Address& address);

}  // namespace trellis
