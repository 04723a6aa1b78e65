// Values in the form MessagePack, in which code objects of AMD's GPUs describe their kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hip_stand_in {

// One of these; the others are empty.
struct PackedValue {
    std::uint64_t number = 0;
    std::string text;
    std::vector<PackedValue> list;
    std::map<std::string, PackedValue> fields;
};

// Throws std::runtime_error if the bytes end too early, or have a type that code objects do not use.
PackedValue unpacked(std::span<const std::byte> bytes);

}  // namespace hip_stand_in
