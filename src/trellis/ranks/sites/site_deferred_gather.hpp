// A deferred all-gather over several sites: its values travel with the next exchange of the communicator.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/ranks/comm/deferred_gather.hpp"
#include "trellis/ranks/sites/site_group.hpp"

namespace trellis {

class SiteDeferredGather final : public DeferredGather {
  public:
    explicit SiteDeferredGather(std::shared_ptr<SiteGroup> group);
    ~SiteDeferredGather() override;

    void post(std::span<const std::byte> own) override;
    bool pending() const override;
    std::vector<Message> collect() override;

  private:
    std::shared_ptr<SiteGroup> group_;
    int number_;  // the same on all ranks: they make deferred gathers in the same order
};

}  // namespace trellis
