// Values of all ranks that no rank waits for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// An all-gather in two collective calls, post and collect, which alternate. Between sites the values travel with the
// next exchange of the communicator, and cost neither a message nor a round trip of their own; on one site post gathers
// them. See Comm::make_deferred_gather.
class DeferredGather {
  public:
    DeferredGather() = default;
    virtual ~DeferredGather() = default;
    DeferredGather(const DeferredGather&) = delete;
    DeferredGather& operator=(const DeferredGather&) = delete;

    // own: of the same size on all ranks.
    virtual void post(std::span<const std::byte> own) = 0;
    // True between post and collect.
    virtual bool pending() const = 0;
    // One message from each rank, in the order of the ranks. Every exchange begun since post is finished; if none was
    // begun, this call begins and finishes an empty one.
    virtual std::vector<Message> collect() = 0;
};

}  // namespace trellis
