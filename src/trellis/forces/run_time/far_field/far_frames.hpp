// The kernels of forces/tree/kernels/device_far_field.hpp as text, but for the functions that depend on potential and
// order, and for what stands between @. Their order of work is that of forces/tree/device/far_field.cuh.
#pragma once

namespace trellis {

// 32 threads make the local expansion of a target (M2L), a cell a thread, and a block those of eight targets.
inline constexpr unsigned targets_of_block = 8;

inline constexpr const char* far_types_text =
    R"(typedef struct { u32 cell, parent, first_cell, cell_count; } FarTarget;
typedef struct { u32 cell, target, first_cell, cell_count; } FarGroup;
typedef struct {
    u32 first_row, count, first_range, range_count, first_result, index_count;
    u64 first_index;
} Group;

)";

inline constexpr const char* locals_text =
    R"(KERNEL void locals(GLOBAL const real* cells, GLOBAL const FarTarget* targets, GLOBAL const u32* lists,
                   GLOBAL real* locals, const Call call)
{
    SHARED real shared[8][257];
    const u32 part = THREAD / 32, lane = THREAD % 32, number = BLOCK_X * 8 + part;
    real terms[@TERMS@];
    #pragma unroll
    for (u32 k = 0; k < @TERMS@; ++k) terms[k] = 0;
    if (number < call.targets) {
        const Once once = once_of(call);
        const FarTarget target = targets[number];
        GLOBAL const real* own = cells + (u64)target.cell * @STRIDE@;
        for (u32 k = lane; k < target.cell_count; k += 32)
            add_local(once, cells + (u64)lists[target.first_cell + k] * @STRIDE@, own, terms);
    }
    #pragma unroll
    for (u32 first = 0; first < @TERMS@; first += 8) {
        BARRIER;
        #pragma unroll
        for (u32 c = 0; c < 8; ++c)
            if (first + c < @TERMS@) shared[c][THREAD] = terms[first + c];
        BARRIER;
        if (number >= call.targets || lane >= 8 || first + lane >= @TERMS@) continue;
        real sum = 0;
        for (u32 thread = 0; thread < 32; ++thread) sum += shared[lane][part * 32 + thread];
        locals[(u64)number * @TERMS@ + first + lane] = sum;
    }
}
)";

// Block g adds the far field to the results of group g. 32 threads move the local expansions around it to its centre
// (L2L), then each thread has an i-particle (L2P, M2P).
inline constexpr const char* far_field_text =
    R"(KERNEL void far_field(GLOBAL const real* rows, GLOBAL const Group* groups, GLOBAL const real* cells,
                      GLOBAL const FarGroup* far_groups, GLOBAL const u32* lists, GLOBAL const FarTarget* targets,
                      GLOBAL const real* locals, GLOBAL const FarTarget* trunk_targets,
                      GLOBAL const real* trunk_locals, GLOBAL real* results, const Call call)
{
    SHARED real shared[8][33];
    SHARED real shared_local[@TERMS@];
    const Group group = groups[BLOCK_X];
    const FarGroup far = far_groups[BLOCK_X];
    GLOBAL const real* own = cells + (u64)far.cell * @STRIDE@;
    real terms[@TERMS@];
    #pragma unroll
    for (u32 k = 0; k < @TERMS@; ++k) terms[k] = 0;
    u32 target = far.target;
    for (u32 turn = 0; turn < @MOST_AROUND@ && target != @NO_TARGET@u; ++turn) {
        const u32 of_trunk = target >> 31, number = target & 0x7fffffffu;
        if (number >= (of_trunk ? call.trunk_targets : call.targets)) break;
        const FarTarget around = of_trunk ? trunk_targets[number] : targets[number];
        if (turn % 32 == THREAD)
            add_moved_local((of_trunk ? trunk_locals : locals) + (u64)number * @TERMS@,
                            cells + (u64)around.cell * @STRIDE@, own, terms);
        target = around.parent;
    }
    #pragma unroll
    for (u32 first = 0; first < @TERMS@; first += 8) {
        BARRIER;
        #pragma unroll
        for (u32 c = 0; c < 8; ++c)
            if (first + c < @TERMS@ && THREAD < 32) shared[c][THREAD] = terms[first + c];
        BARRIER;
        if (THREAD >= 8 || first + THREAD >= @TERMS@) continue;
        real sum = 0;
        for (u32 thread = 0; thread < 32; ++thread) sum += shared[THREAD][thread];
        shared_local[first + THREAD] = sum;
    }
    BARRIER;
    #pragma unroll
    for (u32 k = 0; k < @TERMS@; ++k) terms[k] = shared_local[k];
    const Once once = once_of(call);
    for (u32 i = THREAD; i < group.count; i += 256) {
        GLOBAL const real* row = rows + (u64)(group.first_row + i) * @ROW@;
        real place[3], field[4] = {0, 0, 0, 0};
        for (u32 axis = 0; axis < 3; ++axis)
            place[axis] = (row[axis] - own[@CENTRE@ + axis]) + (row[axis + 3] - own[@REST@ + axis]);
        for (u32 k = 0; k < far.cell_count; ++k)
            add_field_of_cell(once, cells + (u64)lists[far.first_cell + k] * @STRIDE@, own, place, field);
        if (far.target != @NO_TARGET@u) add_field_of_local(terms, own, place, field);
        const real response = response_of(once, row);
        GLOBAL real* result = results + (u64)(group.first_result + i) * @RESULTS@;
        result[@POTENTIAL@] += response * field[0];
        for (u32 axis = 0; axis < 3; ++axis) result[@ACCELERATION@ + axis] -= response * field[1 + axis];
    }
}
)";

}  // namespace trellis
