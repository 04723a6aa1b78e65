#include "trellis/lists/walk_kernel.hpp"

#include <algorithm>

#include "trellis/base/simd.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

namespace stdx = std::experimental;
using Reals = Batch<double>;
using Mask = Reals::mask_type;

constexpr std::size_t width = Reals::size();

// Eight, four or two cells side by side.
struct Cells {
    Vec3<Reals> centre;
    Reals size, weight, is_leaf;
};

struct Verdict {
    Mask accept;
    Mask super;  // not accepted, but a superparticle for the target's particles
    Mask open;   // not acceptable for any part of the target, however small
};

[[gnu::always_inline]] inline Cells side_by_side(const Candidate* cells, const std::uint32_t (&index)[width]) {
    Reals columns[8];
    for (std::size_t part = 0; part < 8; part += width) {
        Reals rows[width];
        for (std::size_t lane = 0; lane < width; ++lane)
            rows[lane] = load(reinterpret_cast<const double*>(cells + index[lane]) + part);
        transpose<double>(rows);
        for (std::size_t k = 0; k < width; ++k) columns[part + k] = rows[k];
    }
    return {{columns[0], columns[1], columns[2]}, columns[3], columns[4], columns[5]};
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

// Squared distances of the cells' centres to the nearest point and to the farthest corner of a box.
struct BoxDistance {
    [[gnu::always_inline]] BoxDistance(const Vec3<Reals>& centre, const Bounds& bounds) {
        const auto add_axis = [&](const Reals& at, double low, double high) {
            const Reals below = low - at, above = at - high;
            const Reals outside = stdx::max(stdx::max(below, above), Reals(0.0));
            const Reals across = stdx::max(-below, -above);
            nearest2 += outside * outside;
            farthest2 += across * across;
        };
        add_axis(centre.x, bounds.low.x, bounds.high.x);
        add_axis(centre.y, bounds.low.y, bounds.high.y);
        add_axis(centre.z, bounds.low.z, bounds.high.z);
    }
    Reals nearest2 = 0.0, farthest2 = 0.0;
};

// For every particle in the target's box. A part of the target may be as far as the box's far corner.
struct ForParticles {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const BoxDistance distance(cells.centre, target.bounds);
        const int power = opening.order + 1;
        return {acceptable(cells.size, distance.nearest2, cells.weight, opening, power, target.smallest_tolerance),
                Mask(false),
                !acceptable(cells.size, distance.farthest2, cells.weight, opening, power, target.largest_tolerance)};
    }
};

// For the target's sphere as a whole. The larger of the two is divided, so cells larger than the target are opened.
struct ForCell {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const Vec3<Reals> apart{cells.centre.x - target.centre.x, cells.centre.y - target.centre.y,
                                cells.centre.z - target.centre.z};
        const Mask accept = acceptable(cells.size + target.radius, dot(apart, apart), cells.weight, opening,
                                       opening.order, target.smallest_tolerance);
        if (!target.group) return {accept, Mask(false), cells.size > target.radius};
        const Mask small = cells.size < small_cell * target.radius;
        const BoxDistance distance(cells.centre, target.bounds);
        const Mask super = acceptable(cells.size, distance.nearest2, cells.weight, opening, opening.order + 1,
                                      target.smallest_tolerance);
        return {accept && !small, small && super && cells.is_leaf < 0.5, Mask(true)};
    }
};

class Sorter {
  public:
    Sorter(const Candidate* cells, const Opening& opening, const WalkTarget& target, const WalkOutput& output)
        : cells_(cells), opening_(opening), target_(target), output_(output) {}

    // Judges cells and puts each where it belongs; only the first count lanes are cells.
    template <class For>
    [[gnu::always_inline]] void sort(const std::uint32_t (&index)[width], std::size_t count) {
        const Cells cells = side_by_side(cells_, index);
        const Verdict verdict = For::judge(cells, opening_, target_);
        const unsigned long present = (1UL << count) - 1;
        const unsigned long accept = bits_of(verdict.accept) & present;
        const unsigned long super = bits_of(verdict.super) & present;
        const unsigned long leaf = bits_of(cells.is_leaf > 0.5);
        const unsigned long must_open = target_.group ? present : bits_of(verdict.open) & present;
        const unsigned long open = must_open & ~(accept | super | leaf);
        const unsigned long near = target_.group ? present & ~accept & leaf : 0;
        std::uint32_t child[width];
        for (std::size_t lane = 0; lane < width; ++lane) child[lane] = cells_[index[lane]].child;
        put(output_.far, accept, index);
        put(output_.super, super, index);
        put(output_.near, near, index);
        put(output_.deferred, present & ~(accept | super | open | near), index);
        put(output_.opened, open, child);
    }

  private:
    [[gnu::always_inline]] static void put(Pile& pile, unsigned long bits, const std::uint32_t (&cells)[width]) {
        pile.make_room(width);
        pile.set_size(pile.size() + compress(bits, cells, pile.begin() + pile.size()));
    }

    const Candidate* cells_;
    const Opening& opening_;
    const WalkTarget& target_;
    const WalkOutput& output_;
};

// Sorts the candidates and, in turn, the children of those that are opened.
template <class For>
void walk(const Candidate* cells, const Opening& opening, const WalkTarget& target,
          std::span<const std::uint32_t> candidates, const WalkOutput& output) {
    Sorter sorter(cells, opening, target, output);
    std::uint32_t index[width];
    output.opened.set_size(0);
    for (std::size_t next = 0; next < candidates.size(); next += width) {
        const std::size_t count = std::min(candidates.size() - next, width);
        for (std::size_t lane = 0; lane < width; ++lane) {
            if (next + lane + width < candidates.size()) prefetch(cells + candidates[next + lane + width], 1);
            index[lane] = candidates[next + (lane < count ? lane : 0)];
        }
        sorter.sort<For>(index, count);
    }
    for (std::size_t next = 0, count = 0; next < output.opened.size(); next += count) {
        count = std::min(output.opened.size() - next, width / 2);
        for (std::size_t k = 0; k < width / 2; ++k) {
            const std::uint32_t child = output.opened[next + (k < count ? k : 0)];
            if (next + k + width < output.opened.size()) prefetch(cells + output.opened[next + k + width], 2);
            index[2 * k] = child;
            index[2 * k + 1] = child + 1;
        }
        sorter.sort<For>(index, 2 * count);
    }
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
