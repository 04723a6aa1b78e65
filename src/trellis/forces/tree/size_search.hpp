// Group and leaf size by trial (paper, section 6.1: the best n_grp depends on machine, method and theta).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace trellis {

struct Sizes {
    std::uint32_t group, leaf;
    friend bool operator==(const Sizes&, const Sizes&) = default;
};

// Goes from start to faster and faster neighbours, groups by factors of two from 16 to 2048, then leaves by factors of
// two from 4 to the group, until none is faster. seconds: the time of a mean step with these sizes; called once for
// each pair of sizes.
Sizes fastest_sizes(Sizes start, const std::function<double(Sizes)>& seconds);

// The sizes found before under a key, in the user's cache folder (XDG_CACHE_HOME or ~/.cache, trellis/sizes.txt), or
// {0, 0}. The key is one line.
Sizes cached_sizes(const std::string& key);

// Adds sizes to the cache. A cache that cannot be written is no error.
void cache_sizes(const std::string& key, Sizes sizes);

}  // namespace trellis
