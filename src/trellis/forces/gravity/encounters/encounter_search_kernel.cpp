#include <bit>
#include <cmath>
#include <cstddef>

#include "trellis/base/batch.hpp"
#include "trellis/forces/gravity/encounters/encounter_search.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

using Reals = Batch<double>;

constexpr std::size_t none = static_cast<std::size_t>(-1);

Reals at(const Groups::Block::Values& values, std::size_t k) { return load<double>(&values[k]); }

Reals absolute(const Reals& x) { return max(x, -x); }

// A bit for each group of a block whose pairs with `bodies` may have a squared rate above this one. That is compared
// without divisions: w^2 with rate^2 s^2, and m^2 with rate^4 s^6. Images: in a region that is periodic along an axis.
// Extended: `bodies` are more than one.
template <bool Images, bool Extended>
unsigned long exceeding(double squared_rate, const Bodies& bodies, const Groups::Block& block,
                        const EncounterSpace& space) {
    unsigned long bits = 0;
    for (std::size_t k = 0; k < Groups::block_size; k += Reals::size()) {
        Reals s2 = at(block.widening, k) + bodies.widening, w2 = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Reals apart = absolute(at(block.position[axis], k) - bodies.position[axis]);
            Reals w = absolute(at(block.velocity[axis], k) - bodies.velocity[axis]) + at(block.spread[axis], k);
            if constexpr (Images) apart = min(apart, absolute(space.sides[axis] - apart));
            if constexpr (Extended) {
                apart -= bodies.reach[axis];
                w += bodies.spread[axis];
            }
            const Reals gap = max(apart - at(block.reach[axis], k), 0.0);
            s2 += gap * gap;
            w2 += w * w;
        }
        const Reals m = at(block.mass, k) + bodies.mass, limit = squared_rate * s2;
        bits |= (bits_of(w2 > limit) | bits_of(m * m > limit * limit * s2)) << k;
    }
    return bits;
}

Encounter encounter_of(const Bodies& a, const Bodies& b, const EncounterSpace& space) {
    double s2 = a.widening + b.widening, w2 = 0, parting = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double d = b.position[axis] - a.position[axis];
        if (space.periodic && std::abs(d) > std::abs(space.sides[axis] - std::abs(d)))
            d -= std::copysign(space.sides[axis], d);
        const double w = b.velocity[axis] - a.velocity[axis];
        s2 += d * d;
        w2 += w * w;
        parting += d * w;
    }
    const double fall = (a.mass + b.mass) / (s2 * std::sqrt(s2)), fly = w2 / s2;
    return fly > fall ? Encounter{fly, parting / s2 * (1 + fall / fly)} : Encounter{fall, 1.5 * parting / s2};
}

// Finds the fastest encounter of one body with those of a tree.
template <bool Images>
struct Search {
    std::span<const Groups> levels;
    const EncounterSpace& space;
    const Bodies& body;
    Encounter& fastest;

    // Looks at those in a block of groups, but for group `but` of this level.
    void look(std::size_t level, std::size_t block, std::size_t but) const {
        const Groups& groups = levels[level];
        const std::size_t first = block * Groups::block_size;
        const auto faster = [&] {
            return exceeding<Images, false>(fastest.squared_rate, body, groups.blocks()[block], space);
        };
        unsigned long open = groups.bits_of_block(block) & faster();
        if (but - first < Groups::block_size) open &= ~(1UL << (but - first));
        while (open != 0) {
            const std::size_t group = first + static_cast<std::size_t>(std::countr_zero(open));
            open &= open - 1;
            const double before = fastest.squared_rate;
            if (level > 0) {
                look(level - 1, group, none);
                if (fastest.squared_rate > before) open &= faster();
            } else if (const Encounter one = encounter_of(body, groups[group], space); one.squared_rate > before) {
                fastest = one;
            }
        }
    }

    // Looks at all but body `own`, those of its own groups first: they show which other groups need not be opened.
    void look_at_others(std::size_t own) const {
        for (std::size_t level = 0; level < levels.size(); ++level) {
            const std::size_t block = own / Groups::block_size;
            look(level, block, own);
            own = block;
        }
    }
};

// Marks bodies of a tree that may exceed a rate with others.
struct Marking {
    std::span<const Groups> levels;
    const EncounterSpace& space;
    const Bodies& others;
    double squared_rate;
    std::span<std::uint8_t> marks;

    // Marks those in a block of groups.
    void mark(std::size_t level, std::size_t block) const {
        const Groups& groups = levels[level];
        unsigned long open = exceeding<true, true>(squared_rate, others, groups.blocks()[block], space);
        for (open &= groups.bits_of_block(block); open != 0; open &= open - 1) {
            const std::size_t group = block * Groups::block_size + static_cast<std::size_t>(std::countr_zero(open));
            if (level == 0)
                marks[group] = 1;
            else
                mark(level - 1, group);
        }
    }
};

template <bool Images>
void find_each(const EncounterTree& tree, const EncounterSpace& space, std::size_t begin,
               std::span<Encounter> encounters) {
    for (std::size_t k = 0; k < encounters.size(); ++k) {
        const Bodies body = tree.levels()[0][begin + k];
        Search<Images>{tree.levels(), space, body, encounters[k]}.look_at_others(begin + k);
    }
}

}  // namespace

void find_among_others(const EncounterTree& tree, const EncounterSpace& space, std::size_t begin,
                       std::span<Encounter> encounters) {
    return space.periodic ? find_each<true>(tree, space, begin, encounters)
                          : find_each<false>(tree, space, begin, encounters);
}

void find_among_all(const EncounterTree& tree, const EncounterSpace& space, const Bodies& body, Encounter& encounter) {
    if (tree.size() > 0) Search<true>{tree.levels(), space, body, encounter}.look(tree.levels().size() - 1, 0, none);
}

void mark_exceeding(const EncounterTree& tree, const EncounterSpace& space, const Bodies& others, double squared_rate,
                    std::span<std::uint8_t> marks) {
    if (tree.size() > 0) Marking{tree.levels(), space, others, squared_rate, marks}.mark(tree.levels().size() - 1, 0);
}

TRELLIS_ISA_END
}  // namespace trellis
