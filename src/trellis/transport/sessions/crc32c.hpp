// The checksum CRC-32C (Castagnoli), as iSCSI defines it (RFC 3720, appendix B.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trellis {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace trellis
