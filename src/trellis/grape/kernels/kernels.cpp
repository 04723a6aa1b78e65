#include "trellis/grape/kernels/kernels.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/grape/kernels/cpu_kernels.hpp"

namespace trellis {

namespace {

template <class T>
T* memory(const KernelCall& call, std::size_t number) {
    return reinterpret_cast<T*>(call.memory[number]);
}

void forces_on_cpu(const KernelCall& call) {
    const auto& constants = call.get<GrapeForcesCall>();
    const auto* targets = memory<const Vec3<double>>(call, 0) + constants.first_target;
    const auto* sources = memory<const Vec3<double>>(call, 1) + constants.first_source;
    const auto* masses = memory<const double>(call, 2) + constants.first_source;
    auto* sums = memory<GrapeForce>(call, 3);
    auto* forces = memory<GrapeForce>(call, 4);
    const std::size_t count = constants.targets, parts = constants.parts;
    const std::size_t blocks = (count + grape_target_block - 1) / grape_target_block;
    const std::size_t length = grape_part_length(constants.sources, parts);
    const auto sum = TRELLIS_VARIANT(sum_pairs);
    parallel_tasks(blocks * parts, [&](std::size_t task, int) {
        const std::size_t part = task % parts, i = task / parts * grape_target_block, j = part * length;
        const std::size_t of_part = std::min(length, constants.sources - std::min<std::size_t>(j, constants.sources));
        sum({targets + i, std::min(grape_target_block, count - i), sources + j, masses + j, of_part,
             constants.softening, constants.length_unit, constants.mass_unit, sums + part * count + i});
    });
    parallel_for(count, [&](std::size_t i) {
        GrapeForce total{};
        for (std::size_t part = 0; part < parts; ++part) {
            total.acceleration += sums[part * count + i].acceleration;
            total.potential += sums[part * count + i].potential;
        }
        forces[i] = total;
    });
}

// A tile of j-particles, as find_nearby reads them.
struct NearbyTile {
    static constexpr std::size_t most = 512;
    double columns[3][most + nearby_padding];

    void fill(const Vec3<double>* positions, std::size_t count) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t k = 0; k < count; ++k) columns[axis][k] = positions[k][axis];
            std::fill_n(columns[axis] + count, nearby_padding, std::numeric_limits<double>::infinity());
        }
    }
};

// The neighbours of an i-particle. Beyond the room for all lists they are counted alone.
struct NumberList {
    std::vector<std::uint32_t> numbers;
    std::uint64_t count = 0;
};
using NumberLists = std::span<NumberList>;

// Finds the neighbours of i-particles, of which the first has the number `first`. total: of all lists.
void search_for(NumberLists lists, std::size_t first, const Vec3<double>* positions, const double* radii,
                const GrapeNeighboursCall& call, std::atomic<std::uint64_t>& total) {
    NearbyTile tile;
    std::uint32_t numbers[NearbyTile::most + nearby_padding];
    const auto find = TRELLIS_VARIANT(find_nearby);
    for (std::size_t j = 0; j < call.sources; j += NearbyTile::most) {
        const std::size_t count = std::min<std::size_t>(NearbyTile::most, call.sources - j);
        const std::size_t number = call.first_source + j;
        tile.fill(positions + number, count);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const std::size_t found = find({tile.columns[0], tile.columns[1], tile.columns[2], count,
                                            static_cast<std::uint32_t>(number), positions[first + i], radii[first + i]},
                                           numbers);
            lists[i].count += found;
            total += found;
            if (total <= call.room) lists[i].numbers.insert(lists[i].numbers.end(), numbers, numbers + found);
        }
    }
}

void neighbours_on_cpu(const KernelCall& call) {
    constexpr std::size_t together = 64;
    const auto& constants = call.get<GrapeNeighboursCall>();
    const auto* positions = memory<const Vec3<double>>(call, 0);
    const auto* radii = memory<const double>(call, 1);
    auto* begins = memory<std::uint64_t>(call, 2);
    auto* found = memory<std::uint32_t>(call, 3);
    std::vector<NumberList> lists(constants.targets);
    std::atomic<std::uint64_t> total = 0;
    parallel_tasks((lists.size() + together - 1) / together, [&](std::size_t task, int) {
        const std::size_t first = task * together, count = std::min(together, lists.size() - first);
        search_for(NumberLists(lists).subspan(first, count), constants.first_target + first, positions, radii,
                   constants, total);
    });
    begins[0] = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) begins[i + 1] = begins[i] + lists[i].count;
    if (total > constants.room) return;
    parallel_for(lists.size(), [&](std::size_t i) { std::ranges::copy(lists[i].numbers, found + begins[i]); });
}

void forces_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const GrapeForcesCall call = KernelCall{constants, {}}.get<GrapeForcesCall>();
    const std::uint64_t sources = size_sum(call.first_source, call.sources);
    uses[0] = use_of<Vec3<double>>(size_sum(call.first_target, call.targets));
    uses[1] = use_of<Vec3<double>>(sources);
    uses[2] = use_of<double>(sources);
    uses[3] = use_of<GrapeForce>(call.parts == 0 ? no_size : size_product(call.parts, call.targets));
    uses[4] = use_of<GrapeForce>(call.targets);
}

void neighbours_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const GrapeNeighboursCall call = KernelCall{constants, {}}.get<GrapeNeighboursCall>();
    const std::uint64_t targets = size_sum(call.first_target, call.targets);
    uses[0] = use_of<Vec3<double>>(std::max(targets, size_sum(call.first_source, call.sources)));
    uses[1] = use_of<double>(targets);
    uses[2] = use_of<std::uint64_t>(size_sum(call.targets, 1));
    uses[3] = use_of<std::uint32_t>(call.room);
}

}  // namespace

void register_grape_kernels() {
    register_kernel(DeviceKind::cpu, grape_forces_kernel, forces_on_cpu, {sizeof(GrapeForcesCall), 5, forces_uses});
    register_kernel(DeviceKind::cpu, grape_neighbours_kernel, neighbours_on_cpu,
                    {sizeof(GrapeNeighboursCall), 4, neighbours_uses});
    TRELLIS_CALL_FOR_GPUS(register_grape_kernels_for_gpus());
}

}  // namespace trellis
