// The pair kernels of an interaction on a GPU (see device_pairs.hpp): for .cu sources. A block of threads computes the
// forces on one group, with j-particles passing through shared memory a tile at a time.
#pragma once

#include <type_traits>
#include <typeinfo>

#include "trellis/devices/gpu/launch.cuh"
#include "trellis/forces/row_records.hpp"
#include "trellis/forces/tree/device/gpu_expand_lists.hpp"
#include "trellis/forces/tree/device/shares.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

// The number of i-particles that a thread owns: as many as fit into its registers with their sums.
template <class R>
inline constexpr std::uint32_t owned_targets = sizeof(R) == 4 ? 4 : 2;

// One thread's part of a group's forces. Every thread of the block makes the same calls.
template <class I, class R>
class GroupThread {
  public:
    static constexpr std::uint32_t owned = owned_targets<R>;
    static constexpr std::uint32_t components = I::Result::components;

    // 16 bytes are what a thread reads at once.
    struct alignas(16) Row {
        R values[record_stride<I>];
    };
    struct alignas(16) Staged {
        Record<typename I::Source, R> j;
    };
    // The shared memory of a block: a tile of j-particles, and in the end the sums of an i-particle of each
    // thread.
    union Shared {
        Staged tile[block_threads];
        R sums[components][block_threads];
    };

    // Takes the i-particles [first, first + count) of the group.
    __device__ GroupThread(const I& interaction, const Row* rows, const DeviceGroup& group, std::uint32_t first,
                           std::uint32_t count, Shared& shared)
        : interaction_(interaction),
          rows_(rows),
          group_(group),
          origin_(rows[group.first_row]),
          first_(first),
          count_(count),
          shares_(shares_of(count, owned)),
          slice_(threadIdx.x / shares_.width),
          lane_(threadIdx.x % shares_.width),
          shared_(shared) {
        for (std::uint32_t p = 0; p < owned; ++p) {
            const Row row = rows_[group_.first_row + first_ + min(place(p), count_ - 1)];
            targets_[p] = target_of<I, R>(row.values, origin_.values);
            sums_[p] = {};
        }
    }

    __device__ void add_list(const std::uint32_t* indices) {
        const std::uint32_t* list = indices + group_.first_index;
        add_pairs<false>(group_.index_count, [&](std::uint32_t k) { return list[k]; });
    }

    __device__ void add_own() {
        add_pairs<true>(group_.count, [&](std::uint32_t k) { return group_.first_row + k; });
    }

    // Adds up the slices, in their order, and writes the results.
    __device__ void write(R* results) {
        R* out = results + std::size_t{group_.first_result + first_} * components;
        for (std::uint32_t p = 0; p < owned; ++p) {
            __syncthreads();  // all reads are done
            sums_[p].each_component([&](R& value, std::size_t c) { shared_.sums[c][threadIdx.x] = value; });
            __syncthreads();
            for (std::uint32_t k = threadIdx.x; k < shares_.width * components; k += block_threads) {
                const std::uint32_t lane = k / components, c = k % components, i = lane + p * shares_.width;
                R sum = 0;
                for (std::uint32_t s = 0; s < shares_.slices; ++s) sum += shared_.sums[c][s * shares_.width + lane];
                if (i < count_) out[std::size_t{i} * components + c] = sum;
            }
        }
    }

  private:
    // The number in the group of this thread's i-particle p; i-particles beyond count are computed and not written.
    __device__ std::uint32_t place(std::uint32_t p) const { return lane_ + p * shares_.width; }

    // Adds the pairs with all j-particles k < total, whose rows are row_of(k). The number of a row is read one tile
    // ahead.
    template <bool own, class RowOf>
    __device__ void add_pairs(std::uint32_t total, const RowOf& row_of) {
        const auto row_number = [&](std::uint32_t k) { return k < total ? row_of(k) : group_.first_row; };
        std::uint32_t number = row_number(threadIdx.x);
        for (std::uint32_t begin = 0; begin < total; begin += block_threads) {
            const Row row = rows_[number];
            number = row_number(begin + block_threads + threadIdx.x);
            const Record<typename I::Source, R> j = source_of<I, R>(row.values, origin_.values);
            __syncthreads();  // all reads of the tile before are done
            shared_.tile[threadIdx.x].j = j;
            __syncthreads();
            add_tile<own>(begin, ::min(block_threads, total - begin));
        }
    }

    // Adds the pairs with this thread's slice of the tile that begins with j-particle `begin`.
    template <bool own>
    __device__ void add_tile(std::uint32_t begin, std::uint32_t tile_count) {
        const std::uint32_t length = slice_length(tile_count, shares_);
        const std::uint32_t end = slice_ < shares_.slices ? min((slice_ + 1) * length, tile_count) : 0;
#pragma unroll(own ? 1 : 4)
        for (std::uint32_t k = slice_ * length; k < end; ++k) {
            const Record<typename I::Source, R> j = shared_.tile[k].j;
            for (std::uint32_t p = 0; p < owned; ++p)
                if (!own || begin + k != first_ + place(p)) interaction_(targets_[p], j, sums_[p]);
        }
    }

    const I& interaction_;
    const Row* rows_;
    const DeviceGroup& group_;
    const Row origin_;
    const std::uint32_t first_, count_;
    const Shares shares_;
    const std::uint32_t slice_, lane_;
    Shared& shared_;
    Record<typename I::Target, R> targets_[owned];
    Record<typename I::Result, R> sums_[owned];
};

// Block (g, part): the forces on one part of the i-particles of group g.
template <class I, class R>
__global__ void __launch_bounds__(block_threads)
    group_forces(const I interaction, const typename GroupThread<I, R>::Row* __restrict__ rows,
                 const DeviceGroup* __restrict__ groups, const std::uint32_t* __restrict__ indices,
                 R* __restrict__ results) {
    using Thread = GroupThread<I, R>;
    constexpr std::uint32_t most = block_threads * Thread::owned;
    __shared__ typename Thread::Shared shared;
    const DeviceGroup group = groups[blockIdx.x];
    const std::uint32_t first = blockIdx.y * most;
    if (first >= group.count) return;
    Thread thread(interaction, rows, group, first, min(group.count - first, most), shared);
    thread.add_list(indices);
    thread.add_own();
    thread.write(results);
}

template <class R, Interaction I>
void launch_groups(const KernelCall& call, const I& interaction) {
    using Thread = GroupThread<I, R>;
    constexpr std::uint32_t most = block_threads * Thread::owned;
    const auto& header = call.get<PairsCall>();
    const dim3 blocks(header.group_count, (header.largest_group + most - 1) / most);
    launch_blocks(call, group_forces<I, R>, blocks, block_threads, interaction,
                  reinterpret_cast<const typename Thread::Row*>(call.memory[0]),
                  reinterpret_cast<const DeviceGroup*>(call.memory[1]),
                  reinterpret_cast<const std::uint32_t*>(call.memory[2]), reinterpret_cast<R*>(call.memory[3]));
}

// An interaction with a second formula, without tests of distances that are 0, for particles that are softened. The
// second condition: it is not that of a base class.
template <class I>
concept HasNeverSingular = requires { typename I::NeverSingular; } && std::is_base_of_v<I, typename I::NeverSingular>;

// The kernel pairs_kernel(...).
template <Interaction I, class R>
void launch_pairs(const KernelCall& call) {
    if (call.get<PairsCall>().group_count == 0) return;
    const auto& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(PairsCall));
    if constexpr (HasNeverSingular<I>)
        if (interaction.template never_singular<R>())
            return launch_groups<R>(call, typename I::NeverSingular{interaction});
    launch_groups<R>(call, interaction);
}

// Registers the kernels of an interaction for GPUs. A second call changes nothing.
template <Interaction I>
void register_pairs() {
    register_expand_lists();
    register_kernel(gpu_kind, pairs_kernel(typeid(I).name(), sizeof(float)), &launch_pairs<I, float>);
    register_kernel(gpu_kind, pairs_kernel(typeid(I).name(), sizeof(double)), &launch_pairs<I, double>);
}

TRELLIS_GPU_END
}  // namespace trellis
