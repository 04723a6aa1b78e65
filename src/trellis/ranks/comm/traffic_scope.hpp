// Sets the class by which messages between sites are counted, for the duration of a scope.
#pragma once

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/traffic_class.hpp"

namespace trellis {

class TrafficScope {
  public:
    // Messages that this rank begins to send while the scope lives count as of traffic_class. Not collective; without
    // effect on one site.
    TrafficScope(Comm& comm, TrafficClass traffic_class)
        : comm_(comm), before_(comm.set_traffic_class(traffic_class)) {}
    ~TrafficScope() { comm_.set_traffic_class(before_); }
    TrafficScope(const TrafficScope&) = delete;
    TrafficScope& operator=(const TrafficScope&) = delete;

  private:
    Comm& comm_;
    TrafficClass before_;
};

}  // namespace trellis
