// The near pairs of a group: its particles with each other and with those of near leaves. For kernel sources only.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "trellis/forces/tree/kernels/close_pairs.hpp"
#include "trellis/forces/tree/kernels/near_field.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class R>
class NearPairs {
  public:
    using InDouble = GroupPairs<I, double>;

    static std::size_t workspace_bytes(const I& interaction, const Scene& scene, std::size_t largest_group) {
        return InDouble::workspace_bytes(interaction, resolves_close(interaction, scene) ? largest_group : 0);
    }

    // pairs: those in the precision of the kernel. All arguments outlive this object.
    NearPairs(const I& interaction, const Scene& scene, const Branch& branch, GroupPairs<I, R>& pairs,
              std::size_t largest_group, Workspace& workspace)
        : interaction_(interaction),
          scene_(scene),
          branch_(branch),
          pairs_(pairs),
          largest_(largest_group),
          resolves_close_(resolves_close(interaction, scene)),
          in_double_(interaction, scene, resolves_close_ ? largest_group : 0, workspace) {}

    // Adds the near pairs of target t, the group that was begun. True if pairs are too close for that: then some are
    // missing, and all of them are to be computed in double precision instead.
    bool add(std::size_t t) {
        if (all_in_double()) return true;
        const bool with_own = scene_.part != Part::imported;
        const std::uint32_t group = branch_.targets[t].cell;
        std::optional<CloseSearch<R>> search;
        if (resolves_close_)
            search.emplace(scene_, group, largest_, softening_length(scene_.cells[group].count), positions());
        bool close = search && with_own && search->in_group();
        for_near_leaves(t, [&](std::uint32_t leaf, const Vec3<double>& image) {
            if (close) return;
            const Vec3<double> offset = scene_.spheres[leaf].centre + image - pairs_.centre();
            close = search && search->in_leaf(leaf, offset);
            if (!close) pairs_.add_leaf(leaf, offset);
        });
        if (!close) with_own ? pairs_.add_own() : pairs_.flush();
        return close;
    }

    // The near pairs of target t alone, in double precision.
    InDouble& in_double(std::size_t t) {
        const std::uint32_t group = branch_.targets[t].cell;
        in_double_.begin(scene_.cells[group], scene_.spheres[group].centre);
        for_near_leaves(
            t, [&](std::uint32_t leaf, const Vec3<double>& image) { in_double_.add_leaf_of_columns(leaf, image); });
        scene_.part == Part::imported ? in_double_.flush() : in_double_.add_own();
        return in_double_;
    }

  private:
    static bool resolves_close(const I& interaction, const Scene& scene) {
        return std::is_same_v<R, float> && scene.near_in_double != NearInDouble::none &&
               InDouble::Loop::available(interaction);
    }

    bool all_in_double() const {
        return resolves_close_ && scene_.near_in_double == NearInDouble::all &&
               softening_length(0) < close_distance(scene_.spheres[0].radius, scene_.cells[0].count);
    }

    // Calls visit(leaf, shift of its image) for the leaves outside the group whose particles act by themselves.
    template <class Visit>
    void for_near_leaves(std::size_t t, const Visit& visit) const {
        const Cell& group = scene_.cells[branch_.targets[t].cell];
        for (const std::size_t list : branch_.lists_of(t)) {
            const std::size_t number = branch_.lists[list].image;
            const Vec3<double>& image = scene_.lists->images[number];
            for (const std::uint32_t leaf : branch_.near_of(list)) {
                const std::uint32_t first = scene_.cells[leaf].first;
                if (number != 0 || first < group.first || first >= group.end()) visit(leaf, image);
            }
        }
    }

    std::array<const R*, 3> positions() const { return {pairs_.target(0), pairs_.target(1), pairs_.target(2)}; }

    // The length within which closer pairs of the count i-particles need no more digits.
    double softening_length(std::size_t count) const {
        if constexpr (requires { interaction_.softening_length(); }) return interaction_.softening_length();
        if constexpr (Softened<I>) {
            const R* of_each = pairs_.target(softening_in<typename I::Target, I>);
            return count == 0 ? 0 : *std::min_element(of_each, of_each + count);
        }
        return 0;
    }

    const I& interaction_;
    const Scene& scene_;
    const Branch& branch_;
    GroupPairs<I, R>& pairs_;
    std::size_t largest_;
    bool resolves_close_;
    InDouble in_double_;
};

TRELLIS_ISA_END
}  // namespace trellis
