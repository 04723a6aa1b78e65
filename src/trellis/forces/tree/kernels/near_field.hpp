// Pair interactions of one group: its i-particles against j-particles and superparticles. For kernel sources only.
//
// Positions are shifted by the group's centre in double precision and then rounded, in chunks that stay in the
// first-level cache and serve all i-particles of the group.
#pragma once

#include <algorithm>

#include "trellis/forces/components.hpp"
#include "trellis/forces/tree/expansions/split_position.hpp"
#include "trellis/forces/tree/kernels/cell_rows.hpp"
#include "trellis/forces/tree/kernels/pair_loop.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// See ForceKernels::j_particles.
template <class R>
void stage_leaves(const Scene& scene, std::size_t begin, std::size_t end, void* j_particles) {
    for (std::size_t c = begin; c < end; ++c) {
        const Cell& cell = scene.cells[c];
        if (!cell.is_leaf()) continue;
        for (std::size_t component = 0; component < scene.source_components; ++component) {
            const double* in = scene.columns[component];
            const double shift = component < 3 ? scene.spheres[c].centre[component] : 0.0;
            R* out = static_cast<R*>(j_particles) + component * scene.j_stride;
            for (std::uint32_t s = cell.first; s < cell.end(); ++s) out[s] = static_cast<R>(in[s] - shift);
        }
    }
}

template <class I, class R>
class GroupPairs {
  public:
    using Loop = PairLoop<I, R>;

    static constexpr std::size_t width = Loop::width;

    static std::size_t workspace_bytes(const I& interaction, std::size_t largest_group) {
        return Loop::workspace_bytes(interaction, largest_group);
    }

    GroupPairs(const I& interaction, const Scene& scene, std::size_t largest_group, Workspace& workspace)
        : numbers_(interaction),
          scene_(scene),
          j_particles_(static_cast<const R*>(scene.j_particles)),
          j_stride_(scene.j_stride),
          loop_(interaction, largest_group, workspace) {}

    // Begins a group: all sums zero.
    void begin(const Cell& group, const Vec3<double>& centre) {
        group_ = group;
        centre_ = centre;
        pairs_ = 0;
        loop_.begin(group.count);
        for (std::size_t c = 0; c < numbers_.target(); ++c)
            copy_shifted(scene_.columns[numbers_.of_target(c)] + group.first, shift(c), group.count, loop_.target(c));
    }

    // Adds the particles of a leaf outside the group. offset: the centre of the leaf, or of its image, relative to that
    // of the group.
    void add_leaf(std::uint32_t leaf, const Vec3<double>& offset) {
        const Cell& cell = scene_.cells[leaf];
        const Vec3<R> origin{static_cast<R>(offset.x), static_cast<R>(offset.y), static_cast<R>(offset.z)};
        pairs_ += std::uint64_t{cell.count} * group_.count;
        for (std::uint32_t first = cell.first; first < cell.end();) {
            const std::size_t count = std::min<std::size_t>(cell.end() - first, loop_.room());
            copy_moved(j_particles_ + first, j_stride_, origin, count, loop_.next(0));
            loop_.staged(count);
            first += static_cast<std::uint32_t>(count);
        }
    }

    // The same from the columns in double precision, of which nothing is rounded before the group's centre is
    // subtracted.
    void add_leaf_of_columns(std::uint32_t leaf, const Vec3<double>& image) {
        const Cell& cell = scene_.cells[leaf];
        pairs_ += std::uint64_t{cell.count} * group_.count;
        for (std::uint32_t first = cell.first; first < cell.end();) {
            const std::size_t count = std::min<std::size_t>(cell.end() - first, loop_.room());
            for (std::size_t c = 0; c < numbers_.source(); ++c)
                copy_shifted(scene_.columns[c] + first, c < 3 ? centre_[c] - image[c] : 0.0, count, loop_.next(c));
            loop_.staged(count);
            first += static_cast<std::uint32_t>(count);
        }
    }

    // Needed before the sums are read, unless add_own comes last.
    void flush() { loop_.flush(); }

    // Adds the particles of the group itself: each interacts with all but itself.
    void add_own() {
        loop_.flush();
        pairs_ += std::uint64_t{group_.count} * (group_.count - 1);
        for (std::uint32_t first = group_.first; first < group_.end();) {
            const std::size_t count = std::min<std::size_t>(group_.end() - first, loop_.room());
            for (std::size_t c = 0; c < numbers_.source(); ++c)
                copy_shifted(scene_.columns[c] + first, shift(c), count, loop_.next(c));
            loop_.add_own(first - group_.first, count);
            first += static_cast<std::uint32_t>(count);
        }
    }

    // Adds cells, each as one superparticle. image: the shift of their image; table: see make_superparticles.
    void add_superparticles(std::span<const std::uint32_t> cells, const Vec3<double>& image, const R* table) {
        constexpr std::size_t most_batches = (3 + ComponentNumbers<I>::most_source + width - 1) / width;
        const std::size_t batches = (3 + numbers_.source() + width - 1) / width;
        const std::size_t stride = superparticle_stride<R>(numbers_.source());
        const SplitPosition<R> origin(centre_ - image - scene_.corner);
        pairs_ += cells.size() * group_.count;
        for (std::size_t next = 0; next < cells.size();) {
            const std::size_t count = std::min({cells.size() - next, width, loop_.room()});
            const auto row = [&](std::size_t lane) { return table + cells[next + (lane < count ? lane : 0)] * stride; };
            Vector<R> parts[most_batches][width];
            for (std::size_t part = 0; part < batches; ++part) load_columns<R>(row, part * width, parts[part]);
            const Vector<R>* columns = parts[0];
            for (std::size_t ahead = next + count; ahead < std::min(cells.size(), next + 2 * width); ++ahead)
                prefetch(table + cells[ahead] * stride, stride);
            for (std::size_t c = 0; c < 3; ++c)
                put(c, (columns[c] - origin.value[c]) + (columns[3 + c] - origin.rest[c]));
            for (std::size_t c = 3; c < numbers_.source(); ++c) put(c, columns[3 + c]);
            loop_.staged(count);
            next += count;
        }
    }

    auto sum(std::size_t i) { return loop_.sum(i); }
    // For an interaction whose effect of far cells depends on what the loop over pairs knows.
    template <class Sum>
    void add_far_field(std::size_t i, const FieldValue<double>& value, Sum& sum) const
        requires requires(const Loop& loop) { loop.add_far_field(i, value, sum); }
    {
        loop_.add_far_field(i, value, sum);
    }

    // Component c of the i-particles, relative to the group's centre for a position; padded to whole batches.
    const R* target(std::size_t c) const { return loop_.target(c); }

    const Vec3<double>& centre() const { return centre_; }
    std::uint64_t pairs() const { return pairs_; }

    static constexpr std::size_t padded(std::size_t count) { return Loop::padded(count); }

  private:
    double shift(std::size_t component) const { return component < 3 ? centre_[component] : 0.0; }

    // Copies count j-particles, their positions moved to an origin. stride: from one component of theirs to the next.
    // Reads and writes whole batches.
    [[gnu::always_inline]] void copy_moved(const R* in, std::size_t stride, const Vec3<R>& origin, std::size_t count,
                                           R* out) const {
        for (std::size_t k = 0; k < count; k += width)
            for (std::size_t c = 0; c < numbers_.source(); ++c) {
                const Vector<R> values = load_unaligned(in + c * stride + k);
                store_unaligned<R>(c < 3 ? values + origin[c] : values, out + c * Loop::chunk_stride + k);
            }
    }

    // Puts a whole batch of component c behind what is staged.
    void put(std::size_t c, const Vector<R>& values) { store_unaligned<R>(values, loop_.next(c)); }

    [[no_unique_address]] ComponentNumbers<I> numbers_;
    const Scene& scene_;
    const R* j_particles_;
    std::size_t j_stride_;
    Loop loop_;
    Cell group_{};
    Vec3<double> centre_{};
    std::uint64_t pairs_ = 0;
};

TRELLIS_ISA_END
}  // namespace trellis
