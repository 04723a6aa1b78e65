#include "trellis/grape/kernels/kernels.hpp"

#include "trellis/base/math.hpp"
#include "trellis/devices/gpu/block_scan.cuh"
#include "trellis/devices/gpu/launch.cuh"

namespace trellis {
TRELLIS_GPU_BEGIN
namespace {

constexpr unsigned threads = grape_target_block;

template <class T>
T* memory(const KernelCall& call, std::size_t number) {
    return reinterpret_cast<T*>(call.memory[number]);
}

unsigned blocks_for(std::uint64_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

// A position as the sum of two vectors of floats: differences keep twice the digits.
struct Split {
    Vec3<float> value, rest;
    __device__ static Split of(const Vec3<double>& v) {
        const Vec3<float> value{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
        return {
            value,
            {static_cast<float>(v.x - value.x), static_cast<float>(v.y - value.y), static_cast<float>(v.z - value.z)}};
    }
};

struct Source {
    Split position;
    float mass;
};

// Adds the pair forces of a few j-particles.
__device__ void add_pulls(const Split& i, const Source* sources, unsigned count, float softening2, GrapeForce& total) {
    Vec3<float> pulls{};
    float potential = 0;
#pragma unroll 4
    for (unsigned k = 0; k < count; ++k) {
        const Source source = sources[k];
        const Vec3<float> d = (source.position.value - i.value) + (source.position.rest - i.rest);
        const float rinv = rsqrt(d.x * d.x + (d.y * d.y + (d.z * d.z + softening2)));
        const float m_r = source.mass * rinv;
        pulls += (m_r * (rinv * rinv)) * d;
        potential += m_r;
    }
    total.acceleration += pulls;
    total.potential += potential;
}

// Block (b, part): the forces of one part of the j-particles on block b of the i-particles, one a thread.
__global__ void __launch_bounds__(threads)
    sum_parts(const GrapeForcesCall call, const Vec3<double>* __restrict__ targets,
              const Vec3<double>* __restrict__ sources, const double* __restrict__ masses, GrapeForce* sums) {
    __shared__ Source tile[threads];
    const std::uint64_t number = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
    const double per_length = 1 / call.length_unit, per_mass = 1 / call.mass_unit;
    const Split i = Split::of(per_length * targets[call.first_target + ::min(number, call.targets - 1)]);
    const double softening = call.softening * per_length;
    const auto softening2 = static_cast<float>(softening * softening);
    const std::uint64_t length = grape_part_length(call.sources, call.parts);
    const std::uint64_t end = ::min(call.sources, (blockIdx.y + 1) * length);
    GrapeForce total{};
    for (std::uint64_t begin = blockIdx.y * length; begin < end; begin += threads) {
        const std::uint64_t j = call.first_source + ::min(begin + threadIdx.x, end - 1);
        __syncthreads();  // the previous tile is no longer read
        tile[threadIdx.x] = {Split::of(per_length * sources[j]), static_cast<float>(per_mass * masses[j])};
        __syncthreads();
        const auto count = static_cast<unsigned>(::min(end - begin, std::uint64_t{threads}));
        for (unsigned first = 0; first < count; first += 32)
            add_pulls(i, tile + first, ::min(count - first, 32U), softening2, total);
    }
    if (number < call.targets) sums[blockIdx.y * call.targets + number] = total;
}

// Adds up the parts, in their order, and converts to the units of the particles.
__global__ void __launch_bounds__(threads)
    add_parts(const GrapeForcesCall call, const GrapeForce* sums, GrapeForce* forces) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= call.targets) return;
    GrapeForce total{};
    for (std::uint64_t part = 0; part < call.parts; ++part) {
        const GrapeForce& sum = sums[part * call.targets + i];
        total.acceleration += sum.acceleration;
        total.potential += sum.potential;
    }
    const double field_unit = call.mass_unit / call.length_unit;
    total.acceleration *= field_unit / call.length_unit;
    total.potential *= field_unit;
    forces[i] = total;
}

void forces_on_gpu(const KernelCall& call) {
    const auto& constants = call.get<GrapeForcesCall>();
    const unsigned blocks = blocks_for(constants.targets);
    auto* sums = memory<GrapeForce>(call, 3);
    launch_blocks(call, sum_parts, {blocks, static_cast<unsigned>(constants.parts)}, threads, constants,
                  memory<const Vec3<double>>(call, 0), memory<const Vec3<double>>(call, 1),
                  memory<const double>(call, 2), sums);
    launch_blocks(call, add_parts, blocks, threads, constants, sums, memory<GrapeForce>(call, 4));
}

// Calls body with the number of each j-particle that is nearer than the radius to this thread's i-particle, in order.
template <class Body>
__device__ void each_nearby(const GrapeNeighboursCall& call, const Vec3<double>* positions, const double* radii,
                            std::uint64_t i, Body&& body) {
    __shared__ Vec3<double> tile[threads];
    const std::uint64_t own = call.first_target + ::min(i, call.targets - 1);
    const Vec3<double> at = positions[own];
    const double radius2 = i < call.targets ? radii[own] * radii[own] : -1;
    for (std::uint64_t begin = 0; begin < call.sources; begin += threads) {
        __syncthreads();
        tile[threadIdx.x] = positions[call.first_source + ::min(begin + threadIdx.x, call.sources - 1)];
        __syncthreads();
        const auto count = static_cast<unsigned>(::min(call.sources - begin, std::uint64_t{threads}));
        for (unsigned k = 0; k < count; ++k) {
            const Vec3<double> d = tile[k] - at;
            if (dot(d, d) < radius2) body(static_cast<std::uint32_t>(call.first_source + begin + k));
        }
    }
}

// begins[i + 1]: the number of neighbours of i-particle i.
__global__ void __launch_bounds__(threads) count_nearby(const GrapeNeighboursCall call, const Vec3<double>* positions,
                                                        const double* radii, std::uint64_t* begins) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
    std::uint64_t count = 0;
    each_nearby(call, positions, radii, i, [&](std::uint32_t) { ++count; });
    if (i < call.targets) begins[i + 1] = count;
}

// Replaces each value after the first by the sum of those up to it. For one block.
__global__ void __launch_bounds__(threads) add_up(std::uint64_t* begins, std::uint64_t targets) {
    __shared__ ScanSpace<std::uint64_t, threads> space;
    std::uint64_t before = 0;
    if (threadIdx.x == 0) begins[0] = 0;
    for (std::uint64_t first = 0; first < targets; first += threads) {
        const std::uint64_t i = first + threadIdx.x;
        const std::uint64_t value = i < targets ? begins[i + 1] : 0;
        std::uint64_t all = 0;
        const std::uint64_t sum = sum_before(value, all, space) + value;
        if (i < targets) begins[i + 1] = before + sum;
        before += all;
    }
}

__global__ void __launch_bounds__(threads)
    list_nearby(const GrapeNeighboursCall call, const Vec3<double>* positions, const double* radii,
                const std::uint64_t* begins, std::uint32_t* found) {
    if (begins[call.targets] > call.room) return;
    const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
    std::uint32_t* next = found + begins[::min(i, call.targets - 1)];
    each_nearby(call, positions, radii, i, [&](std::uint32_t number) { *next++ = number; });
}

void neighbours_on_gpu(const KernelCall& call) {
    const auto& constants = call.get<GrapeNeighboursCall>();
    const unsigned blocks = blocks_for(constants.targets);
    const auto* positions = memory<const Vec3<double>>(call, 0);
    const auto* radii = memory<const double>(call, 1);
    auto* begins = memory<std::uint64_t>(call, 2);
    launch_blocks(call, count_nearby, blocks, threads, constants, positions, radii, begins);
    launch_blocks(call, add_up, 1, threads, begins, constants.targets);
    launch_blocks(call, list_nearby, blocks, threads, constants, positions, radii, begins,
                  memory<std::uint32_t>(call, 3));
}

}  // namespace
TRELLIS_GPU_END

void TRELLIS_GPU::register_grape_kernels_for_gpus() {
    register_kernel(gpu_kind, grape_forces_kernel, forces_on_gpu);
    register_kernel(gpu_kind, grape_neighbours_kernel, neighbours_on_gpu);
}

}  // namespace trellis
