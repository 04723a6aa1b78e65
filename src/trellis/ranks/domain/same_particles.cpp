#include "trellis/ranks/domain/same_particles.hpp"

#include <string>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text(const Vec3<double>& v) { return "(" + to_text(v.x) + ", " + to_text(v.y) + ", " + to_text(v.z) + ")"; }

std::string text(const Region& region) { return text(region.low) + " to " + text(region.high); }

}  // namespace

RankColumns columns_of(const Comm& comm, const RowFormat& own) { return {own.hash(), comm.rank(), -1}; }

RankColumns joined(const RankColumns& low, const RankColumns& high) {
    const int unlike = high.hash != low.hash ? high.first : high.unlike;
    return {low.hash, low.first, low.unlike >= 0 ? low.unlike : unlike};
}

void check_same_columns(Comm& comm, const RowFormat& own, const RankColumns& all) {
    const int unlike = all.unlike;
    if (unlike < 0) return;
    if (comm.rank() == unlike) comm.send(0, bytes_of_text(own.text()));
    const std::string other = comm.rank() == 0 ? text_of(comm.receive(unlike)) : "";
    const std::string sentence = "the particles of rank " + std::to_string(unlike) + " have the columns " + other +
                                 ", but those of rank 0 " + own.text() +
                                 ": allowed are the same on all ranks, in this order";
    const auto bytes = bytes_of_text(sentence);
    throw InputError(text_of(broadcast(comm, {bytes.begin(), bytes.end()})));
}

RankRegions regions_of(const Comm& comm, const ParticleSet& particles) {
    return {particles.region(), comm.rank(), particles.region(), -1};
}

RankRegions joined(const RankRegions& low, const RankRegions& high) {
    if (low.unlike >= 0) return low;
    if (high.of_first != low.of_first) return {low.of_first, low.first, high.of_first, high.first};
    return {low.of_first, low.first, high.of_unlike, high.unlike};
}

void check_same_region(const RankRegions& all) {
    if (all.unlike < 0) return;
    throw InputError("the box of the particles of rank " + std::to_string(all.unlike) + " is " + text(all.of_unlike) +
                     ", but that of rank 0 " + text(all.of_first) + ": allowed is the same on all ranks");
}

}  // namespace trellis
