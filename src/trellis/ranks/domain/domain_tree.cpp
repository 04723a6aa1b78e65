#include "trellis/ranks/domain/domain_tree.hpp"

#include <cstdint>
#include <utility>

namespace trellis {

namespace {

// Ranges of slabs and columns, by their numbers, and of the domains of each of these columns, as fractions of `whole`.
struct Box {
    int slab, slabs_end, column, columns_end;
    std::int64_t part, parts_end;
};
constexpr std::int64_t whole = std::int64_t{1} << 32;

class DomainTree {
  public:
    explicit DomainTree(const Shape& shape) : shape_(shape) {
        nodes_.reserve(2 * static_cast<std::size_t>(shape.ranks) - 1);
        add({0, shape.slabs, 0, shape.columns, 0, whole});
    }
    std::vector<DomainNode> take() { return std::move(nodes_); }

  private:
    struct Domains {
        int first, end;
    };
    Domains domains(const Box& box, int slab, int column) const {
        const int first = shape_.begin(slab, column);
        const std::int64_t count = shape_.begin(slab, column + 1) - first;
        return {first + static_cast<int>(count * box.part / whole),
                first + static_cast<int>(count * box.parts_end / whole)};
    }
    // The first rank of a box, and (as end) the number of its ranks.
    Domains ranks(const Box& box) const {
        Domains all{-1, 0};
        for (int slab = box.slab; slab < box.slabs_end; ++slab)
            for (int column = box.column; column < box.columns_end; ++column) {
                const Domains own = domains(box, slab, column);
                if (all.first < 0 && own.first < own.end) all.first = own.first;
                all.end += own.end - own.first;
            }
        return all;
    }

    // Halves a box along the axis with most domains side by side.
    static void halve(const Box& box, int count, Box& low, Box& high) {
        const int slabs = box.slabs_end - box.slab, columns = box.columns_end - box.column;
        low = high = box;
        if (slabs > 1 && slabs >= columns && slabs * slabs * columns >= count)
            low.slabs_end = high.slab = box.slab + slabs / 2;
        else if (columns > 1 && columns * slabs * columns >= count)
            low.columns_end = high.column = box.column + columns / 2;
        else
            low.parts_end = high.part = (box.part + box.parts_end) / 2;
    }

    // Adds the node of a box that holds ranks, and returns its number. The last rank of its left half owns it, so that
    // no rank owns two nodes with halves.
    int add(const Box& box) {
        const Domains all = ranks(box);
        const int node = static_cast<int>(nodes_.size());
        if (all.end == 1) {
            nodes_.push_back({all.first, -1, -1});
            last_ = all.first;
            return node;
        }
        Box low, high;
        halve(box, all.end, low, high);
        if (ranks(low).end == 0) return add(high);  // no column has a domain in the lower half
        if (ranks(high).end == 0) return add(low);
        nodes_.push_back({});
        const int left = add(low), owner = last_, right = add(high);
        nodes_[static_cast<std::size_t>(node)] = {owner, left, right};
        return node;
    }

    Shape shape_;
    std::vector<DomainNode> nodes_;
    int last_ = 0;  // the rank added last
};

}  // namespace

std::vector<DomainNode> domain_tree(const Shape& shape) { return DomainTree(shape).take(); }

}  // namespace trellis
