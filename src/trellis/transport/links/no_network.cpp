// A build without Asio and OpenSSL has no links to other sites.
#include "trellis/base/error.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace trellis {

std::vector<std::shared_ptr<Link>> open_links(const LinkSettings&) {
    throw InputError("Trellis was built without Asio and OpenSSL, which links to other sites need");
}

}  // namespace trellis
