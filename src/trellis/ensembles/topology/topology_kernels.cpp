#include "trellis/ensembles/topology/topology_kernels.hpp"

#include <cstring>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

constexpr std::size_t address_bytes = sizeof(const Topology*);

}  // namespace

SystemKernels kernels_with_topology(const SystemKernels& of_pair) {
    if (of_pair.with_topology == nullptr)
        throw InputError("the interaction " + of_pair.name +
                         " is not compiled for systems with bonds or excluded pairs");
    SystemKernels kernels = of_pair;
    kernels.name += " with a topology";
    kernels.interaction_bytes = offset_of_topology(of_pair.interaction_bytes) + address_bytes;
    kernels.on_cpu = of_pair.with_topology;
    kernels.uses = nullptr;
    kernels.topology = true;
    return kernels;
}

std::vector<std::byte> interaction_with_topology(std::vector<std::byte> of_pair, const Topology& topology) {
    const std::size_t offset = offset_of_topology(of_pair.size());
    const Topology* const address = &topology;
    of_pair.resize(offset + address_bytes);
    std::memcpy(of_pair.data() + offset, static_cast<const void*>(&address), address_bytes);
    return of_pair;
}

const Topology* topology_of(const SystemKernels& kernels, const void* interaction) {
    const Topology* address = nullptr;
    if (!kernels.topology) return address;
    const std::size_t offset = kernels.interaction_bytes - address_bytes;
    std::memcpy(static_cast<void*>(&address), static_cast<const std::byte*>(interaction) + offset, address_bytes);
    return address;
}

}  // namespace trellis
