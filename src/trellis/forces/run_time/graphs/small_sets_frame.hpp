// The kernel over small sets as text, but for what depends on the interaction: see kernel_frames.hpp.
#pragma once

namespace trellis {

// A set: see small_sets.hpp.
inline constexpr const char* small_set_text = R"(typedef struct {
    u64 first;
    u32 count, wanted;
    double box[3];
    u64 interaction, reference;
} SmallSet;
)";

// A thread computes one particle with all others of its set, which pass through shared memory a tile at a time.
// Positions are relative to that of the reference of the set, then to the particle, by nearest images.
inline constexpr const char* small_sets_text = R"(typedef struct {
    u64 sets, largest, rows, columns, interactions, stride, graph;
    u32 acceleration, columns_of[@MOST@], unused;
    u64 numbers, values;
} SetsCall;
@LISTS@
FUNCTION Row row_in_set(GLOBAL const double* columns, const SetsCall call, const SmallSet set, const u32 k)
{
    Row row;
    for (u32 c = 0; c < @FIELDS@; ++c) {
        GLOBAL const double* column = columns + call.columns_of[c] * call.rows + set.first;
        double value = column[k];
        if (c < 3) {
            value -= column[set.reference];
            if (set.box[c] > 0) value -= set.box[c] * floor(value / set.box[c] + 0.5);
            row.values[c + 3] = 0;
        }
        row.values[c < 3 ? c : c + 3] = (real)value;
    }
    return row;
}

KERNEL void small_sets(GLOBAL const SmallSet* sets, GLOBAL double* columns, GLOBAL const double* interactions,
                       GLOBAL double* potentials, @EXCLUDED@const SetsCall call)
{
    SHARED Row tile[256];
    const SmallSet set = sets[BLOCK_X];
    const u32 k = BLOCK_Y * 256 + THREAD;
    GLOBAL const double* interaction = interactions + set.interaction * call.stride;
    if (set.wanted == 0 || set.count <= BLOCK_Y * 256 || interaction[0] != call.graph) return;
    Call given;
    for (u32 p = 0; p < @PARAMETERS@; ++p) given.parameters[p] = interaction[@BEFORE@ + p];
    const Once once = once_of(given);
    Row origin = row_in_set(columns, call, set, k < set.count ? k : set.count - 1);
    real own[3], side[3], images[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        own[axis] = origin.values[axis];
        origin.values[axis] = 0;
        side[axis] = (real)set.box[axis];
        images[axis] = set.box[axis] > 0 ? (real)(1 / set.box[axis]) : 0;
    }
    const Target target = target_of(once, origin, origin);
    Sums sums = {@NO_PAIR@};
@FIRST@    for (u32 begin = 0; begin < set.count; begin += 256) {
        BARRIER;
        if (begin + THREAD < set.count) tile[THREAD] = row_in_set(columns, call, set, begin + THREAD);
        BARRIER;
        const u32 filled = k >= set.count ? 0 : set.count - begin < 256 ? set.count - begin : 256;
        for (u32 other = 0; other < filled; ++other) {
            if (begin + other == k) continue;
@FACTOR@            Row there = tile[other];
            for (u32 axis = 0; axis < 3; ++axis) {
                const real d = there.values[axis] - own[axis];
                there.values[axis] = d - side[axis] * floor(d * images[axis] + (real)0.5);
                there.values[axis + 3] = 0;
            }
@ADD@        }
    }
    if (k >= set.count) return;
    finish(once, origin, origin, &sums);
    potentials[set.first + k] = sums.values[@POTENTIAL@];
    for (u32 axis = 0; axis < 3; ++axis)
        columns[(call.acceleration + axis) * call.rows + set.first + k] = sums.values[@ACCELERATION@ + axis];
}
)";

// Without excluded pairs.
inline constexpr const char* add_whole_pair_text =
    "            add_pair(once, target, source_of(there, origin), &sums);\n";

// The lists of sets: see set_lists.hpp.
inline constexpr const char* set_lists_text = R"(typedef struct {
    u64 first_begin, first_entry, first_member, first_value;
    u32 particles, entries, tuples, unused;
} SetLists;

FUNCTION int within(const u64 first, const u64 count, const u64 all) { return first <= all && count <= all - first; }
)";

// With excluded pairs: the entries of a list rise, as the numbers of the particles that pass.
inline constexpr const char* excluded_text =
    "GLOBAL const SetLists* all_lists, GLOBAL const u32* numbers,\n"
    "                       GLOBAL const double* factors, ";
inline constexpr const char* first_excluded_text =
    R"(    const SetLists lists = all_lists[BLOCK_X * call.interactions + set.interaction];
    u32 at = 0, end = 0;
    if (k < lists.particles && within(lists.first_begin, (u64)lists.particles + 1, call.numbers) &&
        within(lists.first_entry, lists.entries, call.numbers) &&
        within(lists.first_value, lists.entries, call.values)) {
        at = numbers[lists.first_begin + k];
        end = numbers[lists.first_begin + k + 1] < lists.entries ? numbers[lists.first_begin + k + 1] : lists.entries;
    }
)";
inline constexpr const char* factor_text =
    R"(            while (at < end && numbers[lists.first_entry + at] < begin + other) ++at;
            const int excluded = at < end && numbers[lists.first_entry + at] == begin + other;
            const real factor = excluded ? (real)factors[lists.first_value + at] : 1;
            if (factor == 0) continue;
)";
inline constexpr const char* add_scaled_pair_text =
    R"(            Sums pair = {@NO_PAIR@};
            add_pair(once, target, source_of(there, origin), &pair);
@JOIN_SCALED@)";

}  // namespace trellis
