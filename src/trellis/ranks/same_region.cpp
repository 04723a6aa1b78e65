#include "trellis/ranks/same_region.hpp"

#include <algorithm>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/ranks/collective.hpp"

namespace trellis {

namespace {

std::string text(const Vec3<double>& v) { return "(" + to_text(v.x) + ", " + to_text(v.y) + ", " + to_text(v.z) + ")"; }

std::string text(const Region& region) { return text(region.low) + " to " + text(region.high); }

}  // namespace

void check_same_region(Comm& comm, const ParticleSet& particles) {
    const auto regions = all_gather(comm, particles.region());
    const auto unlike = std::ranges::find_if(regions, [&](const Region& region) { return region != regions[0]; });
    if (unlike == regions.end()) return;
    throw InputError("the box of the particles of rank " + std::to_string(unlike - regions.begin()) + " is " +
                     text(*unlike) + ", but that of rank 0 " + text(regions[0]) + ": allowed is the same on all ranks");
}

}  // namespace trellis
