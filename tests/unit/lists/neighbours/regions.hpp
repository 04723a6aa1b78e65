// Regions that test periodicity: none, along some axes, along all; periods that differ, faces away from the origin.
#pragma once

#include <array>
#include <ostream>

#include "trellis/particles/region.hpp"

namespace trellis {

struct NamedRegion {
    const char* name;
    Region region;
    friend void PrintTo(const NamedRegion& of, std::ostream* out) { *out << of.name; }
};

inline const std::array<NamedRegion, 4> all_regions{
    {{"open", {}},
     {"cube", {{0, 0, 0}, {1, 1, 1}}},
     {"slab", {{-0.1, -Region::infinity, 0}, {1, Region::infinity, 1.3}}},
     {"tube", {{-Region::infinity, 0.2, -Region::infinity}, {Region::infinity, 1.1, Region::infinity}}}}};

}  // namespace trellis
