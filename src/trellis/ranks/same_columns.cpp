#include "trellis/ranks/same_columns.hpp"

#include <string>

#include "trellis/base/error.hpp"
#include "trellis/ranks/collective.hpp"
#include "trellis/ranks/packed_rows.hpp"

namespace trellis {

namespace {

// Of a stretch of ranks.
struct Columns {
    std::uint64_t hash;  // of the first rank's
    int first;
    int unlike;  // the first rank with other columns; -1: none
};

Columns joined(const Columns& low, const Columns& high) {
    const int unlike = high.hash != low.hash ? high.first : high.unlike;
    return {low.hash, low.first, low.unlike >= 0 ? low.unlike : unlike};
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void check_same_columns(Comm& comm, const ParticleSet& particles) {
    const int unlike = all_reduce(comm, Columns{columns_hash(particles), comm.rank(), -1}, joined).unlike;
    if (unlike < 0) return;
    const std::string own = columns_text(particles);
    if (comm.rank() == unlike) comm.send(0, bytes_of_text(own));
    const std::string other = comm.rank() == 0 ? text_of(comm.receive(unlike)) : "";
    const std::string sentence = "the particles of rank " + std::to_string(unlike) + " have the columns " + other +
                                 ", but those of rank 0 " + own + ": allowed are the same on all ranks, in this order";
    const auto bytes = bytes_of_text(sentence);
    throw InputError(text_of(broadcast(comm, {bytes.begin(), bytes.end()})));
}

}  // namespace trellis
