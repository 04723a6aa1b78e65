#include "trellis/particles/packed_rows.hpp"

#include <cstring>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

struct Header {
    std::uint64_t columns;  // columns_hash
    std::uint64_t rows;
};

std::size_t bytes_of_value(const Column& column) { return column.info().components * sizeof(double); }

std::size_t bytes_of_row(const ParticleSet& particles) {
    std::size_t bytes = 0;
    for (const auto& column : particles.columns()) bytes += bytes_of_value(*column);
    return bytes;
}

}  // namespace

std::string columns_text(const ParticleSet& particles) {
    std::string text;
    for (const auto& column : particles.columns()) {
        const FieldInfo& info = column->info();
        text += (text.empty() ? "" : ", ") + info.name + " " + std::to_string(info.components) +
                (info.integer ? " integer" : "");
    }
    return text;
}

std::uint64_t columns_hash(const ParticleSet& particles) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : columns_text(particles)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::vector<std::byte> packed_rows(const ParticleSet& particles, std::span<const std::uint32_t> rows) {
    std::vector<std::byte> packed(sizeof(Header) + rows.size() * bytes_of_row(particles));
    const Header header{columns_hash(particles), rows.size()};
    std::memcpy(packed.data(), &header, sizeof header);
    std::byte* to = packed.data() + sizeof header;
    for (const auto& column : particles.columns()) {
        const auto* from = static_cast<const std::byte*>(column->data());
        const std::size_t bytes = bytes_of_value(*column);
        parallel_for(rows.size(), [&](std::size_t k) { std::memcpy(to + k * bytes, from + rows[k] * bytes, bytes); });
        to += rows.size() * bytes;
    }
    return packed;
}

std::size_t packed_row_count(const ParticleSet& particles, std::span<const std::byte> packed) {
    Header header{};
    if (packed.size() >= sizeof header) std::memcpy(&header, packed.data(), sizeof header);
    if (header.columns != columns_hash(particles))
        throw RunError("the packed rows are not of particles with the columns " + columns_text(particles));
    const std::size_t bytes = packed.size() - sizeof header, row = bytes_of_row(particles);
    if (bytes % row != 0 || bytes / row != header.rows)
        throw RunError("the packed rows are " + std::to_string(header.rows) + ", but came with " +
                       std::to_string(bytes) + " bytes instead of " + std::to_string(row) + " for each");
    return header.rows;
}

void unpack_rows(std::span<const std::byte> packed, ParticleSet& particles, std::size_t first) {
    const std::size_t rows = packed_row_count(particles, packed);
    const std::byte* from = packed.data() + sizeof(Header);
    for (const auto& column : particles.columns()) {
        const std::size_t bytes = bytes_of_value(*column);
        auto* to = reinterpret_cast<std::byte*>(column->values()) + first * bytes;
        parallel_for(rows, [&](std::size_t k) { std::memcpy(to + k * bytes, from + k * bytes, bytes); });
        from += rows * bytes;
    }
}

}  // namespace trellis
