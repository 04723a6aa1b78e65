#include "hip_stand_in/bundle.hpp"

#include <elf.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "hip_stand_in/message_pack.hpp"

namespace hip_stand_in {

namespace {

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

constexpr std::string_view bundle_begin = "__CLANG_OFFLOAD_BUNDLE__", note_name = "AMDGPU";
constexpr unsigned note_of_metadata = 32;

// A note that describes the kernels; empty if a segment has none.
std::span<const std::byte> metadata_in(std::span<const std::byte> notes) {
    const auto rounded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
        const auto header = read<Elf64_Nhdr>(notes.data());
        const std::byte* const name = notes.data() + sizeof header;
        const std::size_t begin = sizeof header + rounded(header.n_namesz);
        if (header.n_type == note_of_metadata && std::memcmp(name, note_name.data(), note_name.size()) == 0)
            return notes.subspan(begin, header.n_descsz);
        notes = notes.subspan(begin + rounded(header.n_descsz));
    }
    return {};
}

KernelFacts facts_of(const PackedValue& kernel) {
    KernelFacts facts{
        {}, kernel.fields.at(".max_flat_workgroup_size").number, kernel.fields.at(".group_segment_fixed_size").number};
    if (!kernel.fields.contains(".args")) return facts;
    for (const PackedValue& argument : kernel.fields.at(".args").list) {
        const std::string& kind = argument.fields.at(".value_kind").text;
        if (kind.starts_with("hidden_")) continue;
        if (kind != "by_value" && kind != "global_buffer")
            throw std::runtime_error("a kernel has an argument of the kind " + kind);
        facts.arguments.push_back({argument.fields.at(".size").number, kind == "global_buffer"});
    }
    return facts;
}

}  // namespace

std::span<const std::byte> module_of(const std::byte* bundle, std::string_view name) {
    if (std::memcmp(bundle, bundle_begin.data(), bundle_begin.size()) != 0) return {};
    const std::byte* next = bundle + bundle_begin.size();
    auto left = read<std::uint64_t>(next);
    next += sizeof left;
    for (; left > 0; --left) {
        const auto entry = read<std::array<std::uint64_t, 3>>(next);  // offset, bytes, bytes of the name
        next += sizeof entry;
        if (std::string_view(reinterpret_cast<const char*>(next), entry[2]).starts_with(name))
            return {bundle + entry[0], entry[1]};
        next += entry[2];
    }
    return {};
}

std::map<std::string, KernelFacts> kernels_of(std::span<const std::byte> code_object) {
    const auto header = read<Elf64_Ehdr>(code_object.data());
    for (unsigned k = 0; k < header.e_phnum; ++k) {
        const auto segment = read<Elf64_Phdr>(code_object.data() + header.e_phoff + k * sizeof(Elf64_Phdr));
        if (segment.p_type != PT_NOTE) continue;
        const auto metadata = metadata_in(code_object.subspan(segment.p_offset, segment.p_filesz));
        if (metadata.empty()) continue;
        std::map<std::string, KernelFacts> all;
        const PackedValue described = unpacked(metadata);
        for (const PackedValue& kernel : described.fields.at("amdhsa.kernels").list)
            all.emplace(kernel.fields.at(".name").text, facts_of(kernel));
        return all;
    }
    throw std::runtime_error("a code object does not describe its kernels");
}

}  // namespace hip_stand_in
