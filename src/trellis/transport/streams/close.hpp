// Closes sockets and acceptors that may be broken already.
#pragma once

#include <asio/error_code.hpp>

namespace trellis {

// Ignores errors: the object is closed in any case.
template <class Closable>
void close_quietly(Closable& open) {
    asio::error_code ignored;
    static_cast<void>(open.close(ignored));
}

}  // namespace trellis
