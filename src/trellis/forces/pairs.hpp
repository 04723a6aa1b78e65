// Pair interactions of one group: its i-particles against j-particles and superparticles. For kernel sources only.
//
// j-particles lie across the lanes of a batch, i-particles are taken one after the other, so short lists and small groups fill batches
// as well as long ones. Positions are shifted by the group's centre in double precision and then rounded, in chunks that stay in
// the first-level cache and serve all i-particles of the group.
#pragma once

#include <algorithm>

#include "trellis/base/batches.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/forces/split_position.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// See ForceKernels::j_particles.
template <class I, class R>
void stage_leaves(const Scene& scene, std::size_t begin, std::size_t end, void* j_particles) {
    const std::size_t stride = padded_slots(scene.cells[0].count);
    for (std::size_t c = begin; c < end; ++c) {
        const Cell& cell = scene.cells[c];
        if (!cell.is_leaf()) continue;
        for (std::size_t component = 0; component < I::Source::components; ++component) {
            const double* in = scene.columns[component];
            const double shift = component < 3 ? scene.spheres[c].centre[component] : 0.0;
            R* out = static_cast<R*>(j_particles) + component * stride;
            for (std::uint32_t s = cell.first; s < cell.end(); ++s) out[s] = static_cast<R>(in[s] - shift);
        }
    }
}

// Values a superparticle takes in its table: its centre relative to the root's corner as a rounded value and the rest, and the
// sums of the other components of Source.
template <class I, class R>
inline constexpr std::size_t superparticle_stride = (3 + I::Source::components + lanes<R> - 1) / lanes<R> * lanes<R>;

// The cells [begin, end) as superparticles, a row each.
template <class I, class R>
void make_superparticles(const Scene& scene, std::size_t begin, std::size_t end, R* table) {
    for (std::size_t c = begin; c < end; ++c) {
        R* row = table + c * superparticle_stride<I, R>;
        const SplitPosition<R> centre(scene.spheres[c].centre - scene.corner);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            row[axis] = centre.value[axis];
            row[3 + axis] = centre.rest[axis];
        }
        for (std::size_t k = 3; k < I::Source::components; ++k) row[3 + k] = static_cast<R>(scene.cell_sums[k - 3][c]);
    }
}

template <class I, class R>
class GroupPairs {
  public:
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Result = typename I::Result;
    using Sums = Record<Result, Batch<R>>;

    static constexpr std::size_t width = lanes<R>;
    static constexpr std::size_t chunk = 4096 / sizeof(R);  // j-particles
    static constexpr std::size_t chunk_stride = chunk + 2 * width;

    static std::size_t workspace_bytes(std::size_t largest_group) {
        return Workspace::bytes_of<R>(Source::components * chunk_stride) +
               Workspace::bytes_of<R>(Target::components * padded(largest_group)) +
               Workspace::bytes_of<Sums>(largest_group);
    }

    // target_components: where each component of Target stands in scene.columns.
    GroupPairs(const I& interaction, const Scene& scene, const std::size_t* target_components,
               std::size_t largest_group, Workspace& workspace)
        : interaction_(interaction),
          scene_(scene),
          target_components_(target_components),
          j_particles_(static_cast<const R*>(scene.j_particles)),
          j_stride_(padded_slots(scene.cells[0].count)),
          chunk_(workspace.take<R>(Source::components * chunk_stride)),
          targets_(workspace.take<R>(Target::components * padded(largest_group))),
          sums_(workspace.take<Sums>(largest_group)) {}

    // Begins a group: all sums zero.
    void begin(const Cell& group, const Vec3<double>& centre) {
        group_ = group;
        centre_ = centre;
        filled_ = 0;
        pairs_ = 0;
        stride_ = padded(group.count);
        for (std::size_t c = 0; c < Target::components; ++c)
            copy_shifted(scene_.columns[target_components_[c]] + group.first, shift(c), group.count,
                         targets_ + c * stride_);
        for (std::size_t i = 0; i < group.count; ++i)
            sums_[i].each_component([](Batch<R>& value, std::size_t) { value = Batch<R>(R(0)); });
    }

    // Adds the particles of a leaf outside the group.
    void add_leaf(std::uint32_t leaf) {
        const Cell& cell = scene_.cells[leaf];
        const Vec3<double> offset = scene_.spheres[leaf].centre - centre_;
        pairs_ += std::uint64_t{cell.count} * group_.count;
        for (std::uint32_t first = cell.first; first < cell.end();) {
            const std::size_t count = std::min<std::size_t>(cell.end() - first, chunk - filled_);
            for (std::size_t c = 0; c < Source::components; ++c)
                copy_moved(j_particles_ + c * j_stride_ + first, static_cast<R>(c < 3 ? offset[c] : 0.0), count,
                           chunk_ + c * chunk_stride + filled_);
            filled_ += count;
            first += static_cast<std::uint32_t>(count);
            if (filled_ == chunk) flush();
        }
    }

    // Asks for what add_leaf will read.
    void prefetch_leaf(std::uint32_t leaf) const {
        const Cell& cell = scene_.cells[leaf];
        for (std::size_t c = 0; c < Source::components; ++c)
            __builtin_prefetch(j_particles_ + c * j_stride_ + cell.first);
        __builtin_prefetch(&scene_.spheres[leaf]);
    }

    // Adds the group's own particles: each meets all but itself.
    void add_own() {
        flush();
        pairs_ += std::uint64_t{group_.count} * (group_.count - 1);
        for (std::uint32_t first = group_.first; first < group_.end();) {
            const std::size_t count = std::min<std::size_t>(group_.end() - first, chunk);
            stage(first, count);
            for (std::size_t i = 0; i < group_.count; ++i)
                meet_masked(i, 0, count, static_cast<std::ptrdiff_t>(group_.first + i) - first);
            filled_ = 0;
            first += static_cast<std::uint32_t>(count);
        }
    }

    // Adds cells, each as one superparticle; table as made by make_superparticles.
    void add_superparticles(std::span<const std::uint32_t> cells, const R* table) {
        constexpr std::size_t row_batches = superparticle_stride<I, R> / width;
        const SplitPosition<R> origin(centre_ - scene_.corner);
        pairs_ += cells.size() * group_.count;
        for (std::size_t next = 0; next < cells.size();) {
            const std::size_t count = std::min({cells.size() - next, width, chunk - filled_});
            Batch<R> columns[superparticle_stride<I, R>];
            for (std::size_t part = 0; part < row_batches; ++part) {
                Batch<R> rows[width];
                for (std::size_t lane = 0; lane < width; ++lane)
                    rows[lane] = load(table + cells[next + (lane < count ? lane : 0)] * superparticle_stride<I, R> +
                                      part * width);
                transpose<R>(rows);
                for (std::size_t k = 0; k < width; ++k) columns[part * width + k] = rows[k];
            }
            for (std::size_t ahead = next + count; ahead < std::min(cells.size(), next + 2 * width); ++ahead)
                prefetch(table + cells[ahead] * superparticle_stride<I, R>, superparticle_stride<I, R>);
            for (std::size_t c = 0; c < 3; ++c)
                put(c, (columns[c] - origin.value[c]) + (columns[3 + c] - origin.rest[c]));
            for (std::size_t c = 3; c < Source::components; ++c) put(c, columns[3 + c]);
            filled_ += count;
            next += count;
            if (filled_ == chunk) flush();
        }
    }

    // Evaluates what is staged.
    void flush() {
        const std::size_t whole = filled_ / width * width;
        for (std::size_t i = 0; i < group_.count; ++i) {
            std::size_t j = meet<8>(i, 0, whole);
            j = meet<4>(i, j, whole);
            j = meet<2>(i, j, whole);
            meet<1>(i, j, whole);
        }
        if (whole < filled_)
            for (std::size_t i = 0; i < group_.count; ++i) meet_masked(i, whole, filled_, none);
        filled_ = 0;
    }

    // Component c of the sum of i-particle i.
    Record<Result, double> sum(std::size_t i) {
        Record<Result, double> total;
        R values[Result::components];
        sums_[i].each_component([&](Batch<R>& value, std::size_t c) { values[c] = std::experimental::reduce(value); });
        total.each_component([&](double& value, std::size_t c) { value = values[c]; });
        return total;
    }

    // Component c of the i-particles, relative to the group's centre for a position; padded to whole batches.
    const R* target(std::size_t c) const { return targets_ + c * stride_; }

    const Vec3<double>& centre() const { return centre_; }
    std::uint64_t pairs() const { return pairs_; }

    static constexpr std::size_t padded(std::size_t count) { return (count + width - 1) / width * width + width; }

  private:
    static constexpr std::ptrdiff_t none = -1;

    double shift(std::size_t component) const { return component < 3 ? centre_[component] : 0.0; }

    // A whole batch of component c behind what is staged.
    void put(std::size_t c, const Batch<R>& values) {
        values.copy_to(chunk_ + c * chunk_stride + filled_, std::experimental::element_aligned);
    }

    void stage(std::uint32_t first, std::size_t count) {
        for (std::size_t c = 0; c < Source::components; ++c)
            copy_shifted(scene_.columns[c] + first, shift(c), count, chunk_ + c * chunk_stride + filled_);
        filled_ += count;
    }

    [[gnu::always_inline]] Record<Source, Batch<R>> source(std::size_t j) const {
        Record<Source, Batch<R>> record;
        record.each_component([&](Batch<R>& value, std::size_t c) { value = load(chunk_ + c * chunk_stride + j); });
        return record;
    }

    template <int Count>
    [[gnu::always_inline]] Record<Source, Batches<R, Count>> sources(std::size_t j) const {
        Record<Source, Batches<R, Count>> record;
        record.each_component([&](Batches<R, Count>& value, std::size_t c) {
            for (std::size_t k = 0; k < Count; ++k) value.part[k] = load(chunk_ + c * chunk_stride + j + k * width);
        });
        return record;
    }

    template <class V>
    [[gnu::always_inline]] Record<Target, V> target_record(std::size_t i) const {
        Record<Target, V> record;
        record.each_component([&](V& value, std::size_t c) { value = V(Batch<R>(targets_[c * stride_ + i])); });
        return record;
    }

    // The inner loop: i-particle i with the j-particles from begin on, Count batches at once, as long as that stays before end.
    // Returns where it stopped. Flatten: the interaction is inlined, however long it becomes.
    template <int Count>
    [[gnu::flatten]] std::size_t meet(std::size_t i, std::size_t begin, std::size_t end) {
        using V = Batches<R, Count>;
        using Sum = BatchesSum<R, Count>;
        const auto target = target_record<V>(i);
        Batch<R> totals[Result::components];
        Record<Result, Sum> sum;
        sums_[i].each_component([&](Batch<R>& value, std::size_t c) { totals[c] = value; });
        sum.each_component([&](Sum& value, std::size_t c) { value.total = totals[c]; });
        std::size_t j = begin;
        for (; j + Count * width <= end; j += Count * width) interaction_(target, sources<Count>(j), sum);
        sum.each_component([&](Sum& value, std::size_t c) { totals[c] = value.total; });
        sums_[i].each_component([&](Batch<R>& value, std::size_t c) { value = totals[c]; });
        return j;
    }

    // i-particle i with the j-particles [begin, end) but for j = self; begin at a batch.
    void meet_masked(std::size_t i, std::size_t begin, std::size_t end, std::ptrdiff_t self) {
        const Batch<R> lane([](auto k) { return static_cast<R>(static_cast<std::size_t>(k)); });
        const auto target = target_record<Batch<R>>(i);
        Sums sum = sums_[i];
        for (std::size_t j = begin; j < end; j += width) {
            const auto offset = static_cast<std::ptrdiff_t>(j);
            const auto counts = lane < static_cast<R>(end - j) && lane != static_cast<R>(self - offset);
            Sums part;
            part.each_component([](Batch<R>& value, std::size_t) { value = Batch<R>(R(0)); });
            interaction_(target, source(j), part);
            Batch<R> kept[Result::components];
            part.each_component(
                [&](Batch<R>& value, std::size_t c) { kept[c] = select(counts, value, Batch<R>(R(0))); });
            sum.each_component([&](Batch<R>& value, std::size_t c) { value += kept[c]; });
        }
        sums_[i] = sum;
    }

    const I& interaction_;
    const Scene& scene_;
    const std::size_t* target_components_;
    const R* j_particles_;
    std::size_t j_stride_;
    R* chunk_;    // staged j-particles: one array of chunk_stride for each component of Source
    R* targets_;  // i-particles: one array of stride_ for each component of Target
    Sums* sums_;  // for each i-particle, one partial sum a lane
    Cell group_{};
    Vec3<double> centre_{};
    std::size_t stride_ = 0;
    std::size_t filled_ = 0;
    std::uint64_t pairs_ = 0;
};

TRELLIS_ISA_END
}  // namespace trellis
