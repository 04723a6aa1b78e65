// Boxes of mesh nodes, the runs of nodes that two boxes share, and the index of a node in a box.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace trellis {

// The indices of a node, or numbers of nodes, along the axes.
using Nodes = std::array<int, 3>;

// The nodes first <= node < first + count along each axis; nodes along the last axis are adjacent in memory.
struct NodeBox {
    Nodes first{}, count{};

    std::size_t size() const {
        return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) *
               static_cast<std::size_t>(count[2]);
    }
    // The index in memory of the node that lies x, y, z nodes from the first.
    std::size_t at(int x, int y, int z) const {
        return (static_cast<std::size_t>(x) * static_cast<std::size_t>(count[1]) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(count[2]) +
               static_cast<std::size_t>(z);
    }
    bool operator==(const NodeBox&) const = default;
};

// The nodes that two boxes within the mesh share.
inline NodeBox common_nodes(const NodeBox& a, const NodeBox& b) {
    NodeBox common;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        common.first[axis] = std::max(a.first[axis], b.first[axis]);
        const int end = std::min(a.first[axis] + a.count[axis], b.first[axis] + b.count[axis]);
        common.count[axis] = std::max(end - common.first[axis], 0);
    }
    return common;
}

constexpr int floor_divided(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Calls visit(index in a, index in b, length) for each run along the last axis of nodes that a and b share in a
// periodic mesh, in the order of a. cells: of the mesh along each axis. a may lie anywhere and is no longer than the
// mesh; b lies within it.
template <class Visit>
void for_shared_runs(const NodeBox& a, const NodeBox& b, const Nodes& cells, Visit&& visit) {
    // Along one axis, images of b overlap a in up to two stretches: from `low` to `high`, counted from a's first node.
    struct Stretch {
        int low, high, in_b;
    };
    std::array<std::array<Stretch, 2>, 3> stretches{};
    std::array<std::size_t, 3> number{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int n = cells[axis], begin = a.first[axis], end = begin + a.count[axis];
        for (int image = floor_divided(begin, n); image * n < end; ++image) {
            const int low = std::max(begin, b.first[axis] + image * n);
            const int high = std::min(end, b.first[axis] + b.count[axis] + image * n);
            if (low < high)
                stretches[axis][number[axis]++] = {low - begin, high - begin, low - image * n - b.first[axis]};
        }
    }
    for (std::size_t i = 0; i < number[0]; ++i)
        for (int x = stretches[0][i].low; x < stretches[0][i].high; ++x)
            for (std::size_t j = 0; j < number[1]; ++j)
                for (int y = stretches[1][j].low; y < stretches[1][j].high; ++y)
                    for (std::size_t k = 0; k < number[2]; ++k) {
                        const Stretch &sx = stretches[0][i], &sy = stretches[1][j], &sz = stretches[2][k];
                        visit(a.at(x, y, sz.low), b.at(x - sx.low + sx.in_b, y - sy.low + sy.in_b, sz.in_b),
                              static_cast<std::size_t>(sz.high - sz.low));
                    }
}

// The indices of nodes of the periodic mesh in a box.
class BoxIndex {
  public:
    BoxIndex(const Nodes& cells, const NodeBox& box) : cells_(cells), first_(box.first) {
        for (std::size_t axis = 0; axis < 3; ++axis) whole_[axis] = box.count[axis] == cells[axis];
    }

    // The index along an axis, from 0, of a node or, in a box as long as the mesh, of its image.
    int index(std::size_t axis, int node) const {
        const int from_first = node - first_[axis];
        if (!whole_[axis]) return from_first;
        return from_first - floor_divided(from_first, cells_[axis]) * cells_[axis];
    }
    // The same for Count nodes from this one on.
    template <int Count>
    std::array<int, Count> indices(std::size_t axis, int node) const {
        std::array<int, Count> all;
        int next = index(axis, node);
        for (int& at : all) {
            at = next++;
            if (whole_[axis] && next == cells_[axis]) next = 0;
        }
        return all;
    }

  private:
    Nodes cells_, first_;
    std::array<bool, 3> whole_{};
};

}  // namespace trellis
