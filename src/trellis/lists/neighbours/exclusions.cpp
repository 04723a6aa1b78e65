#include "trellis/lists/neighbours/exclusions.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

std::string name_of(const ExcludedPair& pair) {
    return "exclude has the pair " + std::to_string(pair.one) + " and " + std::to_string(pair.other);
}

void check(const ExcludedPair& pair) {
    if (pair.one == pair.other) throw InputError(name_of(pair) + ": allowed are two different particles");
    if (!(pair.factor >= 0 && std::isfinite(pair.factor)))
        throw InputError(name_of(pair) + " with the factor " + to_text(pair.factor) + ": allowed is 0 or more");
}

// Each pair in both orders, sorted, once.
std::vector<ExcludedPair> both_orders(std::span<const ExcludedPair> pairs) {
    std::vector<ExcludedPair> all;
    all.reserve(2 * pairs.size());
    for (const ExcludedPair& pair : pairs) {
        check(pair);
        all.push_back(pair);
        all.push_back({pair.other, pair.one, pair.factor});
    }
    std::ranges::sort(all, {}, [](const ExcludedPair& pair) { return std::tuple(pair.one, pair.other, pair.factor); });
    const auto same = [](const ExcludedPair& a, const ExcludedPair& b) { return a.one == b.one && a.other == b.other; };
    const auto twice = std::ranges::adjacent_find(
        all, [&](const ExcludedPair& a, const ExcludedPair& b) { return same(a, b) && a.factor != b.factor; });
    if (twice != all.end())
        throw InputError(name_of(*twice) + " with the factors " + to_text(twice[0].factor) + " and " +
                         to_text(twice[1].factor) + ": allowed is one");
    const auto repeated = std::ranges::unique(all, same);
    all.erase(repeated.begin(), repeated.end());
    return all;
}

}  // namespace

Exclusions::Exclusions(std::span<const ExcludedPair> pairs) {
    for (const ExcludedPair& pair : both_orders(pairs)) {
        if (ids_.empty() || ids_.back() != pair.one) {
            ids_.push_back(pair.one);
            begins_.push_back(partners_.size());
        }
        partners_.push_back({pair.other, pair.factor});
    }
    begins_.push_back(partners_.size());
}

std::vector<ExcludedPair> Exclusions::pairs() const {
    std::vector<ExcludedPair> all;
    for (std::size_t k = 0; k < ids_.size(); ++k)
        for (std::size_t p = begins_[k]; p < begins_[k + 1]; ++p)
            if (ids_[k] < partners_[p].id) all.push_back({ids_[k], partners_[p].id, partners_[p].factor});
    return all;
}

std::size_t Exclusions::number_of(std::uint64_t id) const {
    const auto found = std::ranges::lower_bound(ids_, id);
    return found != ids_.end() && *found == id ? static_cast<std::size_t>(found - ids_.begin()) : ids_.size();
}

std::span<const Exclusions::Partner> Exclusions::partners(std::uint64_t id) const {
    const std::size_t k = number_of(id);
    if (k == ids_.size()) return {};
    return std::span(partners_).subspan(begins_[k], begins_[k + 1] - begins_[k]);
}

std::vector<double> Exclusions::factors(const ParticleSet& sources, std::uint64_t id) const {
    std::vector<double> all(sources.size(), 1);
    const auto partners_of_id = partners(id);
    for (std::size_t row = 0; row < all.size(); ++row) {
        const auto found = std::ranges::lower_bound(partners_of_id, sources[fields::id][row], {}, &Partner::id);
        if (found != partners_of_id.end() && found->id == sources[fields::id][row]) all[row] = found->factor;
    }
    return all;
}

void Exclusions::check_present(const ParticleSet& particles, const Ranks* ranks) const {
    std::vector<std::uint8_t> present(ids_.size() + 1);  // the last: of particles without pairs
    for (const std::uint64_t id : particles[fields::id]) present[number_of(id)] = 1;
    present.pop_back();
    std::uint64_t here = static_cast<std::uint64_t>(std::ranges::count(present, 1));
    if (ranks != nullptr) here = all_reduce(*ranks->comm, here, [](auto a, auto b) { return a + b; });
    if (here == ids_.size()) return;
    std::vector<std::byte> everywhere;
    if (ranks != nullptr) everywhere = ranks->comm->all_gather(std::as_bytes(std::span(present)));
    for (std::size_t k = 0; k < everywhere.size(); ++k)
        if (everywhere[k] != std::byte{0}) present[k % ids_.size()] = 1;
    const auto missing = std::ranges::find(present, 0);
    if (missing == present.end()) return;
    const std::uint64_t id = ids_[static_cast<std::size_t>(missing - present.begin())];
    throw InputError(name_of({id, partners(id).front().id}) + ", but no particle has the id " + std::to_string(id) +
                     ": allowed are ids of particles that are there");
}

}  // namespace trellis
