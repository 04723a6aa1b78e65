#include "trellis/forces/molecules/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"

namespace trellis {

namespace {

std::string names_of(const std::vector<AtomKind>& kinds) {
    std::string all;
    for (const AtomKind& kind : kinds) all += (all.empty() ? "" : ", ") + kind.name;
    return all;
}

void check_depth_and_size(const std::string& of, double epsilon, double sigma) {
    if (!(epsilon >= 0 && std::isfinite(epsilon)))
        throw InputError("epsilon of " + of + " is " + to_text(epsilon) + ": allowed is 0 or more");
    if (!(sigma > 0 && std::isfinite(sigma)))
        throw InputError("sigma of " + of + " is " + to_text(sigma) + ": allowed is above 0");
}

void check_kinds(const std::vector<AtomKind>& kinds) {
    if (kinds.empty() || kinds.size() > most_kinds)
        throw InputError("kinds has " + std::to_string(kinds.size()) + " kinds: allowed are 1 to " +
                         std::to_string(most_kinds));
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k].name.empty()) throw InputError("kinds has a kind without a name: allowed are names");
        check_depth_and_size("kind " + kinds[k].name, kinds[k].epsilon, kinds[k].sigma);
        for (std::size_t other = 0; other < k; ++other)
            if (kinds[other].name == kinds[k].name)
                throw InputError("kinds has " + kinds[k].name + " twice: allowed are different names");
    }
}

std::size_t number_of(const std::string& name, const std::vector<AtomKind>& kinds) {
    const auto found = std::ranges::find(kinds, name, &AtomKind::name);
    if (found == kinds.end()) throw InputError("pairs has the kind " + name + ": allowed are " + names_of(kinds));
    return static_cast<std::size_t>(found - kinds.begin());
}

PairParameters mixed(const AtomKind& a, const AtomKind& b, MixingRule rule) {
    const double sigma =
        rule == MixingRule::geometric ? std::sqrt(a.sigma) * std::sqrt(b.sigma) : 0.5 * a.sigma + 0.5 * b.sigma;
    return {std::sqrt(a.epsilon) * std::sqrt(b.epsilon), sigma, 0};
}

// Replaces the parameters of the pairs that do not follow the rule.
void override_pairs(const Mixture& mixture, std::vector<PairParameters>& all) {
    const std::size_t count = mixture.kinds.size();
    std::vector<bool> given(count * count, false);
    for (const KindPair& pair : mixture.pairs) {
        const std::size_t a = number_of(pair.one, mixture.kinds), b = number_of(pair.other, mixture.kinds);
        const std::string name = pair.one + " and " + pair.other;
        check_depth_and_size(name, pair.epsilon, pair.sigma);
        PairParameters& there = all[a * count + b];
        if (given[a * count + b] && (there.epsilon != pair.epsilon || there.sigma != pair.sigma))
            throw InputError("pairs has " + name +
                             " twice, with different parameters: allowed are the same for both orders of the kinds");
        given[a * count + b] = given[b * count + a] = true;
        there = all[b * count + a] = {pair.epsilon, pair.sigma, 0};
    }
}

}  // namespace

std::vector<PairParameters> parameters_of_pairs(const Mixture& mixture) {
    check_kinds(mixture.kinds);
    if (!(mixture.cutoff > 0 && std::isfinite(mixture.cutoff)))
        throw InputError("cutoff is " + to_text(mixture.cutoff) + ": allowed is above 0");
    std::vector<PairParameters> all;
    for (const AtomKind& a : mixture.kinds)
        for (const AtomKind& b : mixture.kinds)
            all.push_back(&a == &b ? PairParameters{a.epsilon, a.sigma, 0} : mixed(a, b, mixture.rule));
    override_pairs(mixture, all);
    for (PairParameters& pair : all)
        pair.cutoff = mixture.cutoff_in_sigma ? mixture.cutoff * pair.sigma : mixture.cutoff;
    return all;
}

}  // namespace trellis
