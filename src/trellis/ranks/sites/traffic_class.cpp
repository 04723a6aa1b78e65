#include "trellis/ranks/sites/traffic_class.hpp"

#include <utility>

#include "trellis/ranks/sites/site_comm.hpp"

namespace trellis {

TrafficScope::TrafficScope(Comm& comm, TrafficClass part) {
    auto* of_sites = dynamic_cast<SiteComm*>(&comm);
    present_ = of_sites == nullptr ? nullptr : &of_sites->present_part();
    if (present_ != nullptr) before_ = std::exchange(*present_, part);
}

TrafficScope::~TrafficScope() {
    if (present_ != nullptr) *present_ = before_;
}

}  // namespace trellis
