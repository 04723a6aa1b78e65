// The kernel over tuples as text, but for what depends on the graph: see graphs/kernel_frames.hpp.
#pragma once

namespace trellis {

// A thread adds the tuples of one particle, in the order of its list; each of their members computes a tuple.
inline constexpr const char* tuple_sets_text = R"(typedef struct {
    u64 sets, largest, rows, columns, interactions, graph, numbers, values;
    u32 position, mass, acceleration, unused;
} SetsCall;

KERNEL void tuples(GLOBAL const SmallSet* sets, GLOBAL double* columns, GLOBAL double* potentials,
                   GLOBAL const SetLists* all_lists, GLOBAL const u32* numbers, GLOBAL const double* values,
                   const SetsCall call)
{
    const SmallSet set = sets[BLOCK_X];
    const u32 k = BLOCK_Y * 256 + THREAD;
    if (set.wanted == 0 || k >= set.count || set.interaction >= call.interactions) return;
    const SetLists lists = all_lists[(call.graph * call.sets + BLOCK_X) * call.interactions + set.interaction];
    if (k >= lists.particles || !within(set.first, set.count, call.rows) ||
        !within(lists.first_begin, (u64)lists.particles + 1, call.numbers) ||
        !within(lists.first_entry, lists.entries, call.numbers) ||
        !within(lists.first_member, (u64)lists.tuples * @MEMBERS@, call.numbers) ||
        !within(lists.first_value, (u64)lists.tuples * @VALUES@, call.values))
        return;
    u32 at = numbers[lists.first_begin + k], end = numbers[lists.first_begin + k + 1];
    if (end > lists.entries) end = lists.entries;
    GLOBAL double* mine = columns + set.first;
    double force[3] = {0, 0, 0}, energy = 0;
    for (; at < end; ++at) {
        const u32 entry = numbers[lists.first_entry + at], tuple = entry / @MEMBERS@, member = entry % @MEMBERS@;
        if (tuple >= lists.tuples) return;
        GLOBAL const u32* members = numbers + lists.first_member + (u64)tuple * @MEMBERS@;
        double given[3 * @STEPS@ + @VALUES@], outcome[1 + 3 * @STEPS@];
        for (u32 s = 0; s < @STEPS@; ++s) {
            if (members[s] >= set.count || members[s + 1] >= set.count) return;
            for (u32 axis = 0; axis < 3; ++axis) {
                GLOBAL const double* x = mine + (call.position + axis) * call.rows;
                const double d = x[members[s + 1]] - x[members[s]], side = set.box[axis];
                given[3 * s + axis] = side > 0 ? d - side * floor(d * (1 / side) + 0.5) : d;
            }
        }
        for (u32 v = 0; v < @VALUES@; ++v)
            given[3 * @STEPS@ + v] = values[lists.first_value + (u64)tuple * @VALUES@ + v];
        evaluate(given, outcome);
        energy += outcome[0];
        for (u32 axis = 0; axis < 3; ++axis) {
            const double next = member < @STEPS@ ? outcome[1 + 3 * member + axis] : 0;
            const double last = member > 0 ? outcome[3 * member - 2 + axis] : 0;
            force[axis] += (next - last) + (outcome[0] - outcome[0]);
        }
    }
    const double mass = mine[call.mass * call.rows + k];
    potentials[set.first + k] += 2.0 / @MEMBERS@ * energy / mass;
    for (u32 axis = 0; axis < 3; ++axis) mine[(call.acceleration + axis) * call.rows + k] += force[axis] / mass;
}
)";

}  // namespace trellis
