#include "trellis/particles/packed_rows.hpp"

#include <cstring>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

struct Header {
    std::uint64_t columns;  // RowFormat::hash
    std::uint64_t rows;
};

std::size_t bytes_of_value(const Column& column) { return column.info().components * sizeof(double); }

std::string text_of_columns(const ParticleSet& particles) {
    std::string text;
    for (const auto& column : particles.columns()) {
        const FieldInfo& info = column->info();
        text += (text.empty() ? "" : ", ") + info.name + " " + std::to_string(info.components) +
                (info.integer ? " integer" : "");
    }
    return text;
}

std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::size_t bytes_of_row(const ParticleSet& particles) {
    std::size_t bytes = 0;
    for (const auto& column : particles.columns()) bytes += bytes_of_value(*column);
    return bytes;
}

}  // namespace

RowFormat::RowFormat(const ParticleSet& particles)
    : text_(text_of_columns(particles)), hash_(hash_of(text_)), bytes_of_row_(bytes_of_row(particles)) {}

std::vector<std::byte> RowFormat::packed(const ParticleSet& particles, std::span<const std::uint32_t> rows) const {
    std::vector<std::byte> packed(sizeof(Header) + rows.size() * bytes_of_row_);
    const Header header{hash_, rows.size()};
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

std::size_t RowFormat::row_count(std::span<const std::byte> packed) const {
    Header header{};
    if (packed.size() >= sizeof header) std::memcpy(&header, packed.data(), sizeof header);
    if (header.columns != hash_) throw RunError("the packed rows are not of particles with the columns " + text_);
    const std::size_t bytes = packed.size() - sizeof header;
    if (bytes % bytes_of_row_ != 0 || bytes / bytes_of_row_ != header.rows)
        throw RunError("the packed rows are " + std::to_string(header.rows) + ", but came with " +
                       std::to_string(bytes) + " bytes instead of " + std::to_string(bytes_of_row_) + " for each");
    return header.rows;
}

void RowFormat::unpack(std::span<const std::byte> packed, ParticleSet& particles, std::size_t first) const {
    const std::size_t rows = row_count(packed);
    const std::byte* from = packed.data() + sizeof(Header);
    for (const auto& column : particles.columns()) {
        const std::size_t bytes = bytes_of_value(*column);
        auto* to = reinterpret_cast<std::byte*>(column->values()) + first * bytes;
        parallel_for(rows, [&](std::size_t k) { std::memcpy(to + k * bytes, from + k * bytes, bytes); });
        from += rows * bytes;
    }
}

}  // namespace trellis
