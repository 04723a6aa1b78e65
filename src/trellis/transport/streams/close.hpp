// Closing what may be broken already.
#pragma once

#include <asio/error_code.hpp>

namespace trellis {

// Closes a socket or the like. A failure is of no interest: it is gone then, too.
template <class Closable>
void close_quietly(Closable& open) {
    asio::error_code ignored;
    static_cast<void>(open.close(ignored));
}

}  // namespace trellis
