#include "trellis/lists/walk_kernel.hpp"

#include "trellis/base/simd.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

namespace stdx = std::experimental;
using Reals = Batch<double>;
using Mask = Reals::mask_type;

// Eight, four or two cells side by side.
struct Cells {
    Vec3<Reals> centre;
    Reals size, weight;
};

struct Verdict {
    Mask accept;
    Mask open;  // not acceptable for any part of the target, however small
};

[[gnu::always_inline]] inline Cells gather(const Candidate* cells, const std::uint32_t* index) {
    return {{Reals([&](auto lane) { return cells[index[lane]].centre.x; }),
             Reals([&](auto lane) { return cells[index[lane]].centre.y; }),
             Reals([&](auto lane) { return cells[index[lane]].centre.z; })},
            Reals([&](auto lane) { return cells[index[lane]].size; }),
            Reals([&](auto lane) { return cells[index[lane]].weight; })};
}

// size / distance < theta and weight (size / distance)^power / distance^2 <= tolerance
[[gnu::always_inline]] inline Mask acceptable(const Reals& size, const Reals& distance2, const Reals& weight,
                                              const Opening& opening, int power, double tolerance) {
    const Mask wide = size * size < opening.theta * opening.theta * distance2;
    if (tolerance == any_error) return wide;
    Reals ratio2 = size * size / distance2;
    Reals error = weight / distance2;
    if (power % 2 == 1) error *= stdx::sqrt(ratio2);
    for (int k = power / 2; k > 0; --k) error *= ratio2;
    return wide && error <= tolerance;
}

// For every particle in the target's box. A part of the target may be as far as the box's far corner.
struct ForParticles {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        Reals nearest2 = 0.0, farthest2 = 0.0;
        const auto add_axis = [&](const Reals& centre, double low, double high) {
            const Reals below = low - centre, above = centre - high;
            const Reals outside = stdx::max(stdx::max(below, above), Reals(0.0));
            const Reals across = stdx::max(-below, -above);
            nearest2 += outside * outside;
            farthest2 += across * across;
        };
        add_axis(cells.centre.x, target.bounds.low.x, target.bounds.high.x);
        add_axis(cells.centre.y, target.bounds.low.y, target.bounds.high.y);
        add_axis(cells.centre.z, target.bounds.low.z, target.bounds.high.z);
        const int power = opening.order + 1;
        return {acceptable(cells.size, nearest2, cells.weight, opening, power, target.smallest_tolerance),
                !acceptable(cells.size, farthest2, cells.weight, opening, power, target.largest_tolerance)};
    }
};

// For the target's sphere as a whole. The larger of the two is divided, so cells larger than the target are opened.
struct ForCell {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const Vec3<Reals> apart{cells.centre.x - target.centre.x, cells.centre.y - target.centre.y,
                                cells.centre.z - target.centre.z};
        return {acceptable(cells.size + target.radius, dot(apart, apart), cells.weight, opening, opening.order,
                           target.smallest_tolerance),
                cells.size > target.radius};
    }
};

// Judges the candidates and, in turn, the children of those it opens.
template <class For>
void walk(const Candidate* cells, const Opening& opening, const WalkTarget& target,
          std::span<const std::uint32_t> candidates, const WalkOutput& output) {
    constexpr std::size_t width = Reals::size();
    output.opened.set_size(0);
    const auto judge_all = [&](const std::uint32_t* list, std::size_t from, std::size_t to) {
        std::uint32_t index[width];
        const std::size_t count = to - from < width ? to - from : width;
        for (std::size_t lane = 0; lane < width; ++lane) index[lane] = list[from + (lane < count ? lane : 0)];
        const Verdict verdict = For::judge(gather(cells, index), opening, target);
        output.far.make_room(width);
        output.near.make_room(width);
        output.deferred.make_room(width);
        output.opened.make_room(2 * width);
        std::size_t far = output.far.size(), near = output.near.size();
        std::size_t deferred = output.deferred.size(), opened = output.opened.size();
        for (std::size_t lane = 0; lane < count; ++lane) {
            const std::uint32_t cell = index[lane], child = cells[cell].child;
            const bool accept = verdict.accept[lane], leaf = child == 0;
            const bool open = !accept && !leaf && (target.group || verdict.open[lane]);
            const bool near_leaf = !accept && leaf && target.group;
            // Written without branches: which way a cell goes cannot be predicted.
            output.far.begin()[far] = cell;
            far += accept;
            output.near.begin()[near] = cell;
            near += near_leaf;
            output.deferred.begin()[deferred] = cell;
            deferred += !(accept || open || near_leaf);
            output.opened.begin()[opened] = child;
            output.opened.begin()[opened + 1] = child + 1;
            opened += open ? 2 : 0;
        }
        output.far.set_size(far);
        output.near.set_size(near);
        output.deferred.set_size(deferred);
        output.opened.set_size(opened);
        return from + count;
    };
    for (std::size_t next = 0; next < candidates.size();) next = judge_all(candidates.data(), next, candidates.size());
    for (std::size_t next = 0; next < output.opened.size();)
        next = judge_all(output.opened.begin(), next, output.opened.size());
}

}  // namespace

void walk_target(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                 std::span<const std::uint32_t> candidates, const WalkOutput& output) {
    if (opening.receiver == Receiver::particle)
        walk<ForParticles>(cells, opening, target, candidates, output);
    else
        walk<ForCell>(cells, opening, target, candidates, output);
}

TRELLIS_ISA_END
}  // namespace trellis
