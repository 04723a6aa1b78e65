// What all ranks tell each other at leisure: it travels with the next messages between sites, whatever they are for,
// and takes neither a trip nor a message of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/ranks/sites/site_comm.hpp"

namespace trellis {

// All calls are collective. tell and heard are called in turn.
class DeferredGather {
  public:
    explicit DeferredGather(const SiteComm& comm);
    ~DeferredGather();
    DeferredGather(const DeferredGather&) = delete;
    DeferredGather& operator=(const DeferredGather&) = delete;

    // own travels with the next exchange among these ranks.
    void tell(std::span<const std::byte> own);
    bool told() const;  // and not heard yet
    // What every rank has told, in the order of the ranks. That exchange is finished; if none was begun, this is one.
    std::vector<Message> heard();

  private:
    std::shared_ptr<SiteGroup> group_;
    int number_;
};

}  // namespace trellis
