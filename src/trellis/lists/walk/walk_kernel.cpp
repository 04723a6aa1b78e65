#include "trellis/lists/walk/walk_kernel.hpp"

#include <algorithm>

#include "trellis/lists/walk/acceptance.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

constexpr std::size_t width = Reals::size();

struct Verdict {
    Mask accept;
    Mask super;  // not accepted by the target as a whole, but a superparticle for its particles
    Mask open;   // not acceptable for any part of the target
};

// The functions below are compiled twice: for softenings that differ and for equal ones.

template <bool differ>
[[gnu::always_inline]] inline Mask acceptable_at(const Reals& distance2, const Reals& size, const Cells& cells,
                                                 const Opening& opening, int power, double tolerance) {
    if constexpr (differ) return acceptable(size, distance2, cells.weight, cells.variation, opening, power, tolerance);
    return acceptable(size, distance2, cells.weight, opening, power, tolerance);
}

// Acceptance for every particle in the target's box.
template <bool differ>
[[gnu::always_inline]] inline Mask acceptable_to_particles(const Cells& cells, const Reals& nearest2,
                                                           const Opening& opening, double tolerance) {
    return acceptable_at<differ>(nearest2, cells.size, cells, opening, opening.order + 1, tolerance);
}

// Acceptance for the target's sphere as a whole.
template <bool differ>
struct ToCell {
    [[gnu::always_inline]] ToCell(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const Vec3<Reals> apart{cells.centre.x - target.centre.x, cells.centre.y - target.centre.y,
                                cells.centre.z - target.centre.z};
        const Reals distance2 = dot(apart, apart);
        if_even = acceptable_at<differ>(distance2, cells.size + target.radius, cells, opening, opening.order,
                                        target.smallest_tolerance);
        as_it_is = if_even;
        if constexpr (differ) as_it_is = if_even && 1.5 * target.variation <= opening.softening_error * distance2;
    }
    Mask if_even;  // for equal softenings of the target
    Mask as_it_is;
};

// The verdict for every particle in the target's box, parts of which may be as far away as its far corner.
template <bool differ>
struct ForParticles {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const BoxDistance distance(cells.centre, target.bounds);
        const Mask accept =
            acceptable_to_particles<differ>(cells, distance.nearest2, opening, target.smallest_tolerance);
        if (target.group) return {accept || cells.kind == closed_cell, Mask(false), Mask(true)};
        return {accept, Mask(false),
                !acceptable_to_particles<differ>(cells, distance.farthest2, opening, target.largest_tolerance)};
    }
};

// The verdict for the target's sphere as a whole. The larger of cell and target is divided, so that cells larger than
// the target are opened, except those that only the target's softenings exclude: its halves or its particles accept
// them.
template <bool differ>
struct ForCell {
    [[gnu::always_inline]] static Verdict judge(const Cells& cells, const Opening& opening, const WalkTarget& target) {
        const double least = target.even_group() ? small_for_even_group : small_cell;
        const Mask small = cells.size < least * target.radius;
        const ToCell<differ> far(cells, opening, target);
        const Mask whole = far.as_it_is && !small;
        Mask open = cells.size > target.radius, by_particles = small;
        if constexpr (differ) {
            open = open && !far.if_even;
            by_particles = small || far.if_even;
        }
        if (!target.group) return {whole, Mask(false), open};
        const BoxDistance distance(cells.centre, target.bounds);
        const Mask super =
            acceptable_to_particles<differ>(cells, distance.nearest2, opening, target.smallest_tolerance);
        return {whole, !whole && (cells.kind == closed_cell || (by_particles && super && cells.kind == inner_cell)),
                Mask(true)};
    }
};

class Sorter {
  public:
    Sorter(const Candidate* cells, const Opening& opening, const WalkTarget& target, const WalkOutput& output)
        : cells_(cells), opening_(opening), target_(target), output_(output) {}

    // Judges cells and appends each to its buffer; only the first `count` lanes are cells.
    template <class For>
    [[gnu::always_inline]] void sort(const std::uint32_t (&index)[width], std::size_t count) {
        const Cells cells = side_by_side(cells_, index);
        const Verdict verdict = For::judge(cells, opening_, target_);
        unsigned long present = (1UL << count) - 1;
        if (opening_.ends()) present &= ~beyond_cutoff(cells, verdict.accept);
        const unsigned long accept = bits_of(verdict.accept) & present;
        const unsigned long super = bits_of(verdict.super) & present;
        const unsigned long leaf = bits_of(cells.kind == leaf_cell);
        const unsigned long may_open = bits_of(cells.kind == inner_cell);
        const unsigned long open = bits_of(verdict.open) & present & may_open & ~(accept | super);
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
    // The cells that do not act because of the cutoff (see Opening). Their sizes are radii.
    [[gnu::always_inline]] unsigned long beyond_cutoff(const Cells& cells, const Mask& accept) const {
        const BoxDistance distance(cells.centre, target_.bounds);
        const Reals reach = cells.size + opening_.cutoff;
        const unsigned long wholly = bits_of(reach * reach < distance.nearest2);
        if (opening_.receiver == Receiver::particle) return wholly;
        const Vec3<Reals> apart{cells.centre.x - target_.centre.x, cells.centre.y - target_.centre.y,
                                cells.centre.z - target_.centre.z};
        return wholly | (bits_of(accept) & bits_of(Reals(opening_.cutoff * opening_.cutoff) < dot(apart, apart)));
    }

    [[gnu::always_inline]] static void put(IndexBuffer& buffer, unsigned long bits,
                                           const std::uint32_t (&cells)[width]) {
        buffer.make_room(width);
        buffer.set_size(buffer.size() + compress(bits, cells, buffer.begin() + buffer.size()));
    }

    const Candidate* cells_;
    const Opening& opening_;
    const WalkTarget& target_;
    const WalkOutput& output_;
};

// Sorts the candidates and then the children of opened cells.
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

// Calls visit(cells) for each batch of the listed cells until it returns false. True if it never did.
template <class Visit>
[[gnu::always_inline]] inline bool for_all(const Candidate* cells, std::span<const std::uint32_t> list, Visit&& visit) {
    std::uint32_t index[width];
    for (std::size_t next = 0; next < list.size(); next += width) {
        const std::size_t count = std::min(list.size() - next, width);
        for (std::size_t lane = 0; lane < width; ++lane) {
            if (next + lane + width < list.size()) prefetch(cells + list[next + lane + width], 1);
            index[lane] = list[next + (lane < count ? lane : 0)];  // lanes without a cell repeat the first one
        }
        if (!visit(side_by_side(cells, index))) return false;
    }
    return true;
}

template <bool differ>
bool all_acceptable(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                    std::span<const std::uint32_t> far, std::span<const std::uint32_t> super) {
    const auto by_particles = [&](const Cells& some) {
        const BoxDistance distance(some.centre, target.bounds);
        return all_of(acceptable_to_particles<differ>(some, distance.nearest2, opening, target.smallest_tolerance));
    };
    if (opening.receiver == Receiver::particle) return for_all(cells, far, by_particles);
    const auto by_cell = [&](const Cells& some) { return all_of(ToCell<differ>(some, opening, target).as_it_is); };
    return for_all(cells, far, by_cell) && for_all(cells, super, by_particles);
}

template <bool differ>
void walk_for(const Candidate* cells, const Opening& opening, const WalkTarget& target,
              std::span<const std::uint32_t> candidates, const WalkOutput& output) {
    if (opening.receiver == Receiver::particle)
        walk<ForParticles<differ>>(cells, opening, target, candidates, output);
    else
        walk<ForCell<differ>>(cells, opening, target, candidates, output);
}

}  // namespace

bool all_accepted(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                  std::span<const std::uint32_t> far, std::span<const std::uint32_t> super) {
    const auto check = opening.softenings_differ() ? all_acceptable<true> : all_acceptable<false>;
    return check(cells, opening, target, far, super);
}

void walk_target(const Candidate* cells, const Opening& opening, const WalkTarget& target,
                 std::span<const std::uint32_t> candidates, const WalkOutput& output) {
    const auto walk = opening.softenings_differ() ? walk_for<true> : walk_for<false>;
    walk(cells, opening, target, candidates, output);
}

TRELLIS_ISA_END
}  // namespace trellis
