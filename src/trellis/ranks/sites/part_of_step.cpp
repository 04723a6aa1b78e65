#include "trellis/ranks/sites/part_of_step.hpp"

#include <utility>

#include "trellis/ranks/sites/site_comm.hpp"

namespace trellis {

ForPart::ForPart(Comm& comm, PartOfStep part) {
    auto* of_sites = dynamic_cast<SiteComm*>(&comm);
    present_ = of_sites == nullptr ? nullptr : &of_sites->present_part();
    if (present_ != nullptr) before_ = std::exchange(*present_, part);
}

ForPart::~ForPart() {
    if (present_ != nullptr) *present_ = before_;
}

}  // namespace trellis
