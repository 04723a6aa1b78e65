// Multipole moments of cells, several cells at once, a lane each: from the particles of leaves (P2M), and from the children of others
// (M2M). For kernel sources only.
#pragma once

#include <algorithm>
#include <cstring>

#include "trellis/forces/expansion.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/forces/split_position.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <int Order, class R>
class CellMultipoles {
  public:
    // Rows of table are row_stride values; see RowLayout. The j-particles of the leaves are staged.
    CellMultipoles(const Scene& scene, std::size_t strength, R* table)
        : scene_(scene), j_particles_(static_cast<const R*>(scene.j_particles)), strength_(strength), table_(table) {}

    // The cells [begin, end), whose children come after end. The moments of closed cells stand in their rows already.
    void compute(std::size_t begin, std::size_t end) {
        Cells leaves, inner;
        for (std::size_t c = begin; c < end; ++c) {
            const Cell& cell = scene_.cells[c];
            describe(c);
            if (cell.is_closed()) continue;
            Cells& some = cell.is_leaf() ? leaves : inner;
            some.index[some.count++] = static_cast<std::uint32_t>(c);
            if (some.count == width) cell.is_leaf() ? flush_leaves(leaves) : flush_inner(inner);
        }
        flush_leaves(leaves);
        flush_inner(inner);
    }

  private:
    using V = Batch<R>;
    using Moments = Terms<V, Order>;
    static constexpr std::size_t width = lanes<R>;
    static constexpr std::size_t parts = (terms(Order) + width - 1) / width;  // batches that hold a row's moments

    struct Cells {
        std::uint32_t index[width];
        std::size_t count = 0;
    };
    // One value a lane; lanes without a cell stay 0.
    struct alignas(64) Lanes {
        R value[width] = {};
        operator V() const { return load(value); }
    };

    R* row(std::size_t cell) { return table_ + cell * row_stride<Order, R>; }

    // All of a row but its moments.
    void describe(std::size_t cell) {
        const SplitPosition<R> split(scene_.spheres[cell].centre - scene_.corner);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            row(cell)[RowLayout<Order>::centre + axis] = split.value[axis];
            row(cell)[RowLayout<Order>::rest + axis] = split.rest[axis];
        }
        row(cell)[RowLayout<Order>::unit] = static_cast<R>(scene_.units[cell]);
    }

    // Particles [first, first + width) of some leaves: lane l of a component's batch number k is particle first + k of leaf l, and 0 where
    // that leaf has no such particle.
    struct Particles {
        V x[width], y[width], z[width], weight[width];
    };

    void take_component(const Cells& leaves, std::uint32_t first, std::size_t component, V (&batches)[width]) {
        const V number([](auto k) { return static_cast<R>(static_cast<std::size_t>(k)); });
        const R* values = j_particles_ + component * scene_.j_stride;
        for (std::size_t lane = 0; lane < width; ++lane) {
            batches[lane] = V{};
            if (lane >= leaves.count) continue;
            const Cell& cell = scene_.cells[leaves.index[lane]];
            if (first >= cell.count) continue;
            const V some(values + cell.first + first, std::experimental::element_aligned);
            batches[lane] = MathOf<V>::select(number < V(static_cast<R>(cell.count - first)), some, V{});
        }
        transpose<R>(batches);
    }

    void flush_leaves(Cells& leaves) {
        if (leaves.count == 0) return;
        std::uint32_t longest = 0;
        Lanes per_unit;
        for (std::size_t lane = 0; lane < leaves.count; ++lane) {
            longest = std::max(longest, scene_.cells[leaves.index[lane]].count);
            per_unit.value[lane] = static_cast<R>(1 / scene_.units[leaves.index[lane]]);
        }
        const V unit = per_unit;
        Moments sum{};
        Particles some;
        for (std::uint32_t first = 0; first < longest; first += width) {
            take_component(leaves, first, 0, some.x);
            take_component(leaves, first, 1, some.y);
            take_component(leaves, first, 2, some.z);
            take_component(leaves, first, strength_, some.weight);
            for (std::uint32_t k = 0; k < width && first + k < longest; ++k) {
                const auto power = powers<Order>(Vec3<V>{some.x[k] * unit, some.y[k] * unit, some.z[k] * unit});
                for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += some.weight[k] * power[m];
            }
        }
        put(sum, leaves);
    }

    void flush_inner(Cells& inner) {
        if (inner.count == 0) return;
        Moments sum{};
        for (const std::uint32_t half : {0U, 1U}) {
            Lanes x, y, z, ratio;
            std::uint32_t child[width];
            for (std::size_t lane = 0; lane < width; ++lane) {
                const std::uint32_t parent = inner.index[lane < inner.count ? lane : 0];
                child[lane] = scene_.cells[parent].child + half;
                const double per_unit = 1.0 / scene_.units[parent];
                const auto apart =
                    rounded<R>((scene_.spheres[child[lane]].centre - scene_.spheres[parent].centre) * per_unit);
                x.value[lane] = apart.x;
                y.value[lane] = apart.y;
                z.value[lane] = apart.z;
                ratio.value[lane] = static_cast<R>(scene_.units[child[lane]] * per_unit);
            }
            const auto moments = get(child);
            shift_multipole<Order, V>(moments.data(), Vec3<V>{x, y, z}, ratio, sum.data());
        }
        put(sum, inner);
    }

    // The moments of one cell a lane.
    std::array<V, parts * width> get(const std::uint32_t (&cells)[width]) {
        std::array<V, parts * width> columns;
        unroll<static_cast<int>(parts)>([&](auto part) __attribute__((always_inline)) {
            V rows[width];
            for (std::size_t lane = 0; lane < width; ++lane) rows[lane] = load(row(cells[lane]) + part * width);
            transpose<R>(rows);
            for (std::size_t k = 0; k < width; ++k) columns[part * width + k] = rows[k];
        });
        return columns;
    }

    // Writes them to their rows, without what stands behind; forgets the cells.
    void put(const Moments& moments, Cells& cells) {
        unroll<static_cast<int>(parts)>([&](auto part) __attribute__((always_inline)) {
            constexpr std::size_t first = part * width, count = std::min(width, terms(Order) - first);
            V rows[width];
            for (std::size_t k = 0; k < width; ++k) rows[k] = k < count ? moments[first + k] : V{};
            transpose<R>(rows);
            for (std::size_t lane = 0; lane < cells.count; ++lane) {
                alignas(64) R values[width];
                store(rows[lane], values);
                std::copy_n(values, count, row(cells.index[lane]) + first);
            }
        });
        cells.count = 0;
    }

    const Scene& scene_;
    const R* j_particles_;
    std::size_t strength_;
    R* table_;
};

// See ForceKernels::join_moments. What has no radius is a monopole, whatever its unit.
template <int Order, class R>
void join_multipoles(const Sphere& parent, const std::array<Sphere, 2>& children,
                     const std::array<const std::byte*, 2>& moments, std::byte* joined) {
    const double unit = parent.radius > 0 ? parent.radius : 1;
    Terms<R, Order> sum{};
    for (std::size_t k = 0; k < 2; ++k) {
        const double child_unit = children[k].radius > 0 ? children[k].radius : unit;
        Terms<R, Order> child;
        std::memcpy(child.data(), moments[k], sizeof child);
        shift_multipole<Order, R>(child.data(), rounded<R>((children[k].centre - parent.centre) * (1 / unit)),
                                  static_cast<R>(child_unit / unit), sum.data());
    }
    std::memcpy(joined, sum.data(), sizeof sum);
}

TRELLIS_ISA_END
}  // namespace trellis
