#include "trellis/ranks/sites/site_group.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

SiteGroup::SiteGroup(std::shared_ptr<SiteRouter> router, std::uint64_t number, std::vector<int> ranks,
                     const std::shared_ptr<Comm>& on_site)
    : router(std::move(router)),
      number(number),
      ranks(std::move(ranks)),
      gathering(on_site->split(0)),
      spreading(on_site->split(0)) {
    const Sites& sites = this->router->sites();
    for (std::size_t k = 0; k < this->ranks.size(); ++k) {
        const bool first = k == 0 || sites.site_of(this->ranks[k]) != sites.site_of(this->ranks[k - 1]);
        if (first) heads.push_back(static_cast<int>(k));
        if (this->ranks[k] == this->router->rank()) rank = static_cast<int>(k);
    }
    heads.push_back(size());
    site = site_of(rank);
    this->router->set_last_comm(number);
}

std::size_t SiteGroup::site_of(int member) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(heads, member) - heads.begin()) - 1;
}

}  // namespace trellis
