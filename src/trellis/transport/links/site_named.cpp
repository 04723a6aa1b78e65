#include <algorithm>

#include "trellis/base/error.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace trellis {

namespace {

std::string host_of(const std::string& site) {
    const std::size_t colon = site.rfind(':');
    const bool has_port = colon != std::string::npos && site.find(']', colon) == std::string::npos;
    return has_port ? site.substr(0, colon) : site;
}

}  // namespace

std::size_t site_named(const std::vector<std::string>& ring, const std::string& name) {
    const auto whole = std::ranges::find(ring, name);
    if (whole != ring.end()) return static_cast<std::size_t>(whole - ring.begin());
    const auto is_host = [&](const std::string& site) { return host_of(site) == name; };
    const auto found = std::ranges::find_if(ring, is_host);
    if (found != ring.end() && std::ranges::count_if(ring, is_host) == 1)
        return static_cast<std::size_t>(found - ring.begin());
    std::string all;
    for (const std::string& site : ring) all += (all.empty() ? "" : ", ") + site;
    throw InputError("there is no site '" + name + "' in the ring, or several: allowed are " + all);
}

}  // namespace trellis
