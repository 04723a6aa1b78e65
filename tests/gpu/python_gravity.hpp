// Kernels of gravity as an interaction in Python, which tests/gpu/write_python_gravity.py writes: the
// constant behind PairsCall is epsilon^2, results are acceleration and potential. Softened: it is not 0.
#pragma once

namespace python_gravity {

inline constexpr const char* softened_in_single = R"(
typedef float real;
typedef struct ALIGNED_16 { real values[8]; } Row;
typedef struct { float c0; } Once;
typedef struct { float i0; float i1; float i2; } Target;
typedef struct { float j0; float j1; float j2; float j3; } Source;
typedef struct { real values[4]; } Sums;
typedef struct { u32 groups, largest; u64 unused; double parameters[1]; } Call;

FUNCTION Once once_of(const Call call)
{
    Once once;
    const double v0 = call.parameters[0];
    once.c0 = (float)v0;
    return once;
}

FUNCTION Target target_of(const Once once, const Row row, const Row origin)
{
    Target target;
    const float v1 = (row.values[0] - origin.values[0]) + (row.values[3] - origin.values[3]);
    const float v2 = (row.values[1] - origin.values[1]) + (row.values[4] - origin.values[4]);
    const float v3 = (row.values[2] - origin.values[2]) + (row.values[5] - origin.values[5]);
    target.i0 = v1;
    target.i1 = v2;
    target.i2 = v3;
    return target;
}

FUNCTION Source source_of(const Row row, const Row origin)
{
    Source source;
    source.j0 = row.values[6];
    source.j1 = (row.values[0] - origin.values[0]) + (row.values[3] - origin.values[3]);
    source.j2 = (row.values[1] - origin.values[1]) + (row.values[4] - origin.values[4]);
    source.j3 = (row.values[2] - origin.values[2]) + (row.values[5] - origin.values[5]);
    return source;
}

FUNCTION void add_pair(const Once once, const Target target, const Source source, Sums* sums)
{
    const float v8 = source.j1 - target.i0;
    const float v9 = v8 * v8;
    const float v10 = source.j2 - target.i1;
    const float v11 = v10 * v10;
    const float v12 = source.j3 - target.i2;
    const float v13 = v12 * v12;
    const float v14 = v13 + once.c0;
    const float v15 = v11 + v14;
    const float v16 = v9 + v15;
    const float v17 = RSQRT_OF_POSITIVE(v16);
    const float v18 = v17 * v17;
    const float v19 = v18 * v17;
    const float v20 = source.j0 * v19;
    const float v21 = v20 * v8;
    const float v22 = v20 * v10;
    const float v23 = v20 * v12;
    const float v24 = source.j0 * v17;
    sums->values[0] += v21;
    sums->values[1] += v22;
    sums->values[2] += v23;
    sums->values[3] += v24;
}

FUNCTION void finish(const Once once, const Row row, const Row origin, Sums* sums)
{
    sums->values[3] *= (-0x1.0000000000000p+0f);
}

typedef struct { u32 first_row, count, first_range, range_count, first_result, index_count; u64 first_index; } Group;
typedef union { Source tile[256]; real sums[4][256]; } Shared;

KERNEL void pairs(GLOBAL const Row* rows, GLOBAL const Group* groups, GLOBAL const u32* indices, GLOBAL real* results,
                  const Call call)
{
    SHARED Shared shared;
    const Group group = groups[BLOCK_X];
    const u32 first = BLOCK_Y * (256 * 4);
    if (first >= group.count) return;
    const u32 left = group.count - first, count = left < 256 * 4 ? left : 256 * 4;
    const u32 width = (count + 4 - 1) / 4;
    const u32 slices = 256 / width < 32 ? 256 / width : 32, slice = THREAD / width, lane = THREAD % width;
    const Once once = once_of(call);
    const Row origin = rows[group.first_row];
    Target targets[4];
    Sums sums[4];
    #pragma unroll
    for (u32 p = 0; p < 4; ++p) {
        const u32 own = lane + p * width;
        const Sums none = {{0, 0, 0, 0}};
        targets[p] = target_of(once, rows[group.first_row + first + (own < count ? own : count - 1)], origin);
        sums[p] = none;
    }
    for (u32 begin = 0; begin < group.index_count; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < group.index_count ? indices[group.first_index + mine] : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = group.index_count - begin < 256 ? group.index_count - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll 4
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < 4; ++p)
                add_pair(once, targets[p], source, &sums[p]);
        }
    }
    for (u32 begin = 0; begin < group.count; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < group.count ? group.first_row + mine : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = group.count - begin < 256 ? group.count - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll 1
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < 4; ++p)
                if (begin + k != first + lane + p * width) add_pair(once, targets[p], source, &sums[p]);
        }
    }
    #pragma unroll
    for (u32 p = 0; p < 4; ++p) {
        BARRIER;
        for (u32 c = 0; c < 4; ++c) shared.sums[c][THREAD] = sums[p].values[c];
        BARRIER;
        const u32 i = lane + p * width;
        if (slice > 0 || i >= count) continue;
        Sums all = {{0, 0, 0, 0}};
        for (u32 s = 0; s < slices; ++s)
            for (u32 c = 0; c < 4; ++c) all.values[c] += shared.sums[c][s * width + lane];
        finish(once, rows[group.first_row + first + i], origin, &all);
        for (u32 c = 0; c < 4; ++c)
            results[(u64)(group.first_result + first + i) * 4 + c] = all.values[c];
    }
}
)";

inline constexpr const char* in_double = R"(
typedef double real;
typedef struct ALIGNED_16 { real values[8]; } Row;
typedef struct { double c0; } Once;
typedef struct { double i0; double i1; double i2; } Target;
typedef struct { double j0; double j1; double j2; double j3; } Source;
typedef struct { real values[4]; } Sums;
typedef struct { u32 groups, largest; u64 unused; double parameters[1]; } Call;

FUNCTION Once once_of(const Call call)
{
    Once once;
    const double v0 = call.parameters[0];
    once.c0 = (double)v0;
    return once;
}

FUNCTION Target target_of(const Once once, const Row row, const Row origin)
{
    Target target;
    const double v1 = (row.values[0] - origin.values[0]) + (row.values[3] - origin.values[3]);
    const double v2 = (row.values[1] - origin.values[1]) + (row.values[4] - origin.values[4]);
    const double v3 = (row.values[2] - origin.values[2]) + (row.values[5] - origin.values[5]);
    target.i0 = v1;
    target.i1 = v2;
    target.i2 = v3;
    return target;
}

FUNCTION Source source_of(const Row row, const Row origin)
{
    Source source;
    source.j0 = row.values[6];
    source.j1 = (row.values[0] - origin.values[0]) + (row.values[3] - origin.values[3]);
    source.j2 = (row.values[1] - origin.values[1]) + (row.values[4] - origin.values[4]);
    source.j3 = (row.values[2] - origin.values[2]) + (row.values[5] - origin.values[5]);
    return source;
}

FUNCTION void add_pair(const Once once, const Target target, const Source source, Sums* sums)
{
    const double v8 = source.j1 - target.i0;
    const double v9 = v8 * v8;
    const double v10 = source.j2 - target.i1;
    const double v11 = v10 * v10;
    const double v12 = source.j3 - target.i2;
    const double v13 = v12 * v12;
    const double v14 = v13 + once.c0;
    const double v15 = v11 + v14;
    const double v16 = v9 + v15;
    const double v17 = v16 < (0x1.0000000000000p-1022) ? (0x0.0p+0) : RSQRT_OF_POSITIVE(v16);
    const double v18 = v17 * v17;
    const double v19 = v18 * v17;
    const double v20 = source.j0 * v19;
    const double v21 = v20 * v8;
    const double v22 = v20 * v10;
    const double v23 = v20 * v12;
    const double v24 = source.j0 * v17;
    sums->values[0] += v21;
    sums->values[1] += v22;
    sums->values[2] += v23;
    sums->values[3] += v24;
}

FUNCTION void finish(const Once once, const Row row, const Row origin, Sums* sums)
{
    sums->values[3] *= (-0x1.0000000000000p+0);
}

typedef struct { u32 first_row, count, first_range, range_count, first_result, index_count; u64 first_index; } Group;
typedef union { Source tile[256]; real sums[4][256]; } Shared;

KERNEL void pairs(GLOBAL const Row* rows, GLOBAL const Group* groups, GLOBAL const u32* indices, GLOBAL real* results,
                  const Call call)
{
    SHARED Shared shared;
    const Group group = groups[BLOCK_X];
    const u32 first = BLOCK_Y * (256 * 2);
    if (first >= group.count) return;
    const u32 left = group.count - first, count = left < 256 * 2 ? left : 256 * 2;
    const u32 width = (count + 2 - 1) / 2;
    const u32 slices = 256 / width < 32 ? 256 / width : 32, slice = THREAD / width, lane = THREAD % width;
    const Once once = once_of(call);
    const Row origin = rows[group.first_row];
    Target targets[2];
    Sums sums[2];
    #pragma unroll
    for (u32 p = 0; p < 2; ++p) {
        const u32 own = lane + p * width;
        const Sums none = {{0, 0, 0, 0}};
        targets[p] = target_of(once, rows[group.first_row + first + (own < count ? own : count - 1)], origin);
        sums[p] = none;
    }
    for (u32 begin = 0; begin < group.index_count; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < group.index_count ? indices[group.first_index + mine] : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = group.index_count - begin < 256 ? group.index_count - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll 4
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < 2; ++p)
                add_pair(once, targets[p], source, &sums[p]);
        }
    }
    for (u32 begin = 0; begin < group.count; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < group.count ? group.first_row + mine : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = group.count - begin < 256 ? group.count - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll 1
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < 2; ++p)
                if (begin + k != first + lane + p * width) add_pair(once, targets[p], source, &sums[p]);
        }
    }
    #pragma unroll
    for (u32 p = 0; p < 2; ++p) {
        BARRIER;
        for (u32 c = 0; c < 4; ++c) shared.sums[c][THREAD] = sums[p].values[c];
        BARRIER;
        const u32 i = lane + p * width;
        if (slice > 0 || i >= count) continue;
        Sums all = {{0, 0, 0, 0}};
        for (u32 s = 0; s < slices; ++s)
            for (u32 c = 0; c < 4; ++c) all.values[c] += shared.sums[c][s * width + lane];
        finish(once, rows[group.first_row + first + i], origin, &all);
        for (u32 c = 0; c < 4; ++c)
            results[(u64)(group.first_result + first + i) * 4 + c] = all.values[c];
    }
}
)";

}  // namespace python_gravity
