// A tree with its lists, and the lists of single groups.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "trellis/lists/walk/walk.hpp"

namespace trellis {

using namespace fields;

// The interaction list of a group, collected along its path from the root.
struct GroupList {
    std::uint32_t cell;               // the group
    std::vector<std::uint32_t> far;   // accepted for the group or for a target around it
    std::vector<std::uint32_t> from;  // the target for which each of far was accepted
    std::vector<std::uint32_t> super;
    std::vector<std::uint32_t> near;
};

struct ListedModel {
    ListedModel(const ParticleSet& particles, const Opening& opening, std::uint32_t group_size, std::uint32_t leaf_size,
                const std::vector<double>& tolerance_of_rows = {}, std::span<const Vec3<double>> images = {}) {
        Phases phases;
        tree.build(particles[position], leaf_size, phases);
        const std::vector<FieldInfo> fields{field_info<Position>(), field_info<Mass>()};
        columns.gather(particles, fields, tree.order());
        moments.compute(tree, columns, 3);
        for (const std::uint32_t row : tree.order())
            if (!tolerance_of_rows.empty()) tolerance.push_back(tolerance_of_rows[row]);
        std::vector<CellSize> sizes;
        find_sizes(tree, moments, opening, sizes);
        const std::uint32_t root = 0;
        std::vector<ToleranceRange> tolerances;
        find_tolerances(tree, tolerance_of_rows, tolerances);
        if (!images.empty()) lists.images.assign(images.begin(), images.end());
        Walk(walk_cells(tree, moments), sizes, opening, group_size, tolerances, {&root, 1}, lists).make_all_branches();
    }

    // The lists of all groups for one image.
    std::vector<GroupList> groups(std::uint32_t image = 0) const {
        std::vector<GroupList> all;
        add_groups(lists.trunk, image, all);
        for (const Branch& branch : lists.branches()) add_groups(branch, image, all);
        return all;
    }

    const Cell& cell(std::uint32_t index) const { return tree.cells()[index]; }
    // The tolerance of a target: the smallest one of its particles.
    double tolerance_of(const Cell& target) const {
        if (tolerance.empty()) return any_error;
        return *std::min_element(tolerance.begin() + target.first, tolerance.begin() + target.end());
    }

    Tree tree;
    SortedColumns columns;
    Moments moments;
    std::vector<double> tolerance;  // tolerance of each sorted slot
    InteractionLists lists;

  private:
    void add_groups(const Branch& branch, std::uint32_t image, std::vector<GroupList>& all) const {
        for (std::size_t t = 0; t < branch.targets.size(); ++t) {
            if (!branch.targets[t].group) continue;
            GroupList list{branch.targets[t].cell, {}, {}, {}, {}};
            for (const std::size_t k : branch.lists_of(t)) {
                if (branch.lists[k].image != image) continue;
                list.super.insert(list.super.end(), branch.super_of(k).begin(), branch.super_of(k).end());
                list.near.insert(list.near.end(), branch.near_of(k).begin(), branch.near_of(k).end());
            }
            add_path(branch, t, image, list);
            all.push_back(list);
        }
    }

    void add_path(const Branch& branch, std::size_t t, std::uint32_t image, GroupList& list) const {
        const Target& target = branch.targets[t];
        for (const std::size_t k : branch.lists_of(t)) {
            if (branch.lists[k].image != image) continue;
            const auto far = branch.far_of(k);
            list.far.insert(list.far.end(), far.begin(), far.end());
            list.from.insert(list.from.end(), far.size(), target.cell);
        }
        if (target.cell == 0) return;  // the root
        add_path(t == 0 ? lists.trunk : branch, target.parent, image, list);
    }
};

}  // namespace trellis
