// The kernels of interactions as text, but for what depends on the interaction: the functions once_of, target_of,
// source_of, add_pair and finish, and what stands between @.
#pragma once

namespace trellis {

// A block computes the forces on one part of a group. Each thread owns a few i-particles and takes a slice of the
// j-particles, which pass through shared memory a tile at a time: those on the list, then the group's own.
inline constexpr const char* pairs_text =
    R"(typedef struct {
    u32 first_row, count, first_range, range_count, first_result, index_count;
    u64 first_index;
} Group;
typedef union { Source tile[256]; real sums[@COMPONENTS@][256]; } Shared;

KERNEL void pairs(GLOBAL const Row* rows, GLOBAL const Group* groups, GLOBAL const u32* indices, GLOBAL real* results,
                  const Call call)
{
    SHARED Shared shared;
    const Group group = groups[BLOCK_X];
    const u32 first = BLOCK_Y * (256 * @OWNED@);
    if (first >= group.count) return;
    const u32 left = group.count - first, count = left < 256 * @OWNED@ ? left : 256 * @OWNED@;
    const u32 width = (count + @OWNED@ - 1) / @OWNED@;
    const u32 slices = 256 / width < 32 ? 256 / width : 32, slice = THREAD / width, lane = THREAD % width;
    const Once once = once_of(call);
    const Row origin = rows[group.first_row];
    Target targets[@OWNED@];
    Sums sums[@OWNED@];
    #pragma unroll
    for (u32 p = 0; p < @OWNED@; ++p) {
        const u32 own = lane + p * width;
        const Sums none = {@NO_PAIR@};
        targets[p] = target_of(once, rows[group.first_row + first + (own < count ? own : count - 1)], origin);
        sums[p] = none;
    }
@LIST@@OWN@    #pragma unroll
    for (u32 p = 0; p < @OWNED@; ++p) {
        BARRIER;
        for (u32 c = 0; c < @COMPONENTS@; ++c) shared.sums[c][THREAD] = sums[p].values[c];
        BARRIER;
        const u32 i = lane + p * width;
        if (slice > 0 || i >= count) continue;
        Sums all = {@NO_PAIR@};
        for (u32 s = 0; s < slices; ++s)
            for (u32 c = 0; c < @COMPONENTS@; ++c) all.values[c] += shared.sums[c][s * width + lane];
        finish(once, rows[group.first_row + first + i], origin, &all);
        for (u32 c = 0; c < @COMPONENTS@; ++c)
            results[(u64)(group.first_result + first + i) * @COMPONENTS@ + c] = all.values[c];
    }
}
)";

// The pairs of the i-particles of all threads with the j-particles of the list, or with those of the group.
inline constexpr const char* tiles_text = R"(    for (u32 begin = 0; begin < @TOTAL@; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < @TOTAL@ ? @NUMBER@ : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = @TOTAL@ - begin < 256 ? @TOTAL@ - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll @UNROLLED@
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < @OWNED@; ++p)
                @IF_OTHER@add_pair(once, targets[p], source, &sums[p]);
        }
    }
)";

// See ListedBlock (forces/short_range/kernels/neighbour_blocks.hpp).
inline constexpr const char* blocks_text =
    R"(typedef struct { u32 first, count, length, masked; u64 begin, first_mask; } Block;

)";

// A thread computes one i-particle with the list of its block. Positions are relative to the i-particle.
inline constexpr const char* neighbours_text =
    R"(KERNEL void neighbours(GLOBAL const Row* rows, GLOBAL const Block* blocks, GLOBAL const u32* entries,
                       GLOBAL real* outcome, const Call call)
{
    const u64 element = (u64)BLOCK_X * 256 + THREAD;
    if (element >= call.elements) return;
    const Block block = blocks[element / 16];
    const u32 slot = element % 16;
    Sums sums = {@NO_PAIR@};
    if (slot < block.count) {
        const Once once = once_of(call);
        const Row own = rows[block.first + slot];
        const Target target = target_of(once, own, own);
        const u32 others = block.masked == 0 ? block.count : 0;
        for (u32 e = 0; e < block.length + others; ++e) {
            const u32 other = e - block.length;
            if (e >= block.length && other == slot) continue;
            const u32 number = e < block.length ? entries[block.begin + e] : block.first + other;
            add_pair(once, target, source_of(rows[number], own), &sums);
        }
    }
    for (u32 c = 0; c < @COMPONENTS@; ++c) outcome[c * call.elements + element] = sums.values[c];
}
)";

// A thread adds the masked entries of one i-particle, each by its factor, to the outcome of the kernel above.
inline constexpr const char* masked_text =
    R"(KERNEL void masked(GLOBAL const Row* rows, GLOBAL const Block* blocks, GLOBAL const u32* entries,
                   GLOBAL const double* factors, GLOBAL real* outcome, const Call call)
{
    const u64 element = (u64)BLOCK_X * 256 + THREAD;
    if (element >= call.elements) return;
    const Block block = blocks[element / 16];
    const u32 slot = element % 16;
    if (slot >= block.count || block.masked == 0) return;
    const Once once = once_of(call);
    const Row own = rows[block.first + slot];
    const Target target = target_of(once, own, own);
    Sums sums;
    for (u32 c = 0; c < @COMPONENTS@; ++c) sums.values[c] = outcome[c * call.elements + element];
    for (u32 m = 0; m < block.masked; ++m) {
        const real factor = factors[(block.first_mask + m) * 16 + slot];
        if (factor == 0) continue;
        Sums pair = {@NO_PAIR@};
        add_pair(once, target, source_of(rows[entries[block.begin + block.length + m]], own), &pair);
@JOIN_SCALED@    }
    for (u32 c = 0; c < @COMPONENTS@; ++c) outcome[c * call.elements + element] = sums.values[c];
}
)";

}  // namespace trellis
