#include "trellis/mesh/site_densities.hpp"

#include <algorithm>
#include <utility>

#include "trellis/mesh/pencils.hpp"
#include "trellis/packing/moving_numbers.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

template <class T>
constexpr NumberRecords one_value{sizeof(T), 1, 0};

template <class T>
FormerNumbers former(const std::vector<T>& last, const std::vector<T>& before) {
    return {std::as_bytes(std::span(last)), std::as_bytes(std::span(before))};
}

}  // namespace

template <class T>
SiteDensities<T>::SiteDensities(std::shared_ptr<Comm> comm, const Nodes& cells)
    : comm_(std::move(comm)), cells_(cells) {
    if (!several()) return;
    std::vector<int> begins(comm_->site_begins().begin(), comm_->site_begins().end());
    begins.push_back(comm_->size());
    const auto own = std::ranges::upper_bound(begins, comm_->rank()) - 1;
    const auto boxes_from = [&](auto begin) { return pencil_boxes(*(begin + 1) - *begin, cells).z; };
    box_ = boxes_from(own)[static_cast<std::size_t>(comm_->rank() - *own)];
    for (auto site = begins.begin(); site + 1 != begins.end(); ++site)
        if (int rank = *site; site != own)
            for (const NodeBox& box : boxes_from(site)) share_with(rank++, common_nodes(box_, box));
}

template <class T>
void SiteDensities<T>::share_with(int rank, const NodeBox& box) {
    if (box.size() == 0) return;
    from_.emplace_back(box, rank);
    const auto same = std::ranges::find(to_, box, &Shared::box);
    if (same == to_.end())
        to_.emplace_back(box, rank);
    else
        same->ranks.push_back(rank);
}

template <class T>
void SiteDensities<T>::begin(std::vector<T> density) {
    density_ = std::move(density);
    std::vector<Message> messages;
    for (Shared& to : to_) {
        const std::vector<std::byte> bytes = packed(to);
        for (const int rank : to.ranks) messages.push_back({rank, bytes});
    }
    const TrafficScope densities(*comm_, TrafficClass::densities);
    under_way_ = comm_->begin_exchange(std::move(messages));
}

template <class T>
std::vector<T> SiteDensities<T>::finish() {
    const std::vector<Message> messages = std::exchange(under_way_, nullptr)->finish();
    std::vector<T> sum(box_.size());
    auto next = messages.begin();
    auto from = from_.begin();
    const auto add_those_before = [&](int rank) {
        for (; next != messages.end() && next->rank < rank; ++next) add(*from++, next->bytes, sum);
    };
    add_those_before(comm_->rank());
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += density_[k];
    add_those_before(comm_->size());
    return sum;
}

template <class T>
std::vector<std::byte> SiteDensities<T>::packed(Shared& to) const {
    std::vector<T> now(to.box.size());
    for_shared_runs(to.box, box_, cells_, [&](std::size_t in_shared, std::size_t in_own, std::size_t length) {
        std::copy_n(density_.data() + in_own, length, now.data() + in_shared);
    });
    ByteWriter out;
    pack_moving(one_value<T>, std::as_bytes(std::span(now)), former(to.last, to.before), out);
    to.note(std::move(now));
    return out.take();
}

template <class T>
void SiteDensities<T>::add(Shared& from, std::span<const std::byte> bytes, std::vector<T>& sum) const {
    std::vector<T> now(from.box.size());
    ByteReader in(bytes);
    unpack_moving(in, one_value<T>, former(from.last, from.before), std::as_writable_bytes(std::span(now)));
    for_shared_runs(from.box, box_, cells_, [&](std::size_t in_shared, std::size_t in_own, std::size_t length) {
        for (std::size_t k = 0; k < length; ++k) sum[in_own + k] += now[in_shared + k];
    });
    from.note(std::move(now));
}

template class SiteDensities<float>;
template class SiteDensities<double>;

}  // namespace trellis
