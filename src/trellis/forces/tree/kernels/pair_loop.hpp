// Pairs of a group's i-particles with j-particles that are staged in the first-level cache. For kernel sources only.
//
// j-particles lie across the lanes of a batch, i-particles are taken one after the other, so short lists and small
// groups fill batches as well as long ones. All positions are relative to one point near the i-particles, so that
// single precision suffices.
#pragma once

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The i-particles of a group, and the j-particles that wait to be evaluated with them.
template <class R>
class PairStage {
  public:
    static constexpr std::size_t width = lanes<R>;
    static constexpr std::size_t chunk = 4096 / sizeof(R);  // j-particles that are staged at once
    static constexpr std::size_t chunk_stride = chunk + 2 * width;

    static std::size_t workspace_bytes(std::size_t source, std::size_t target, std::size_t largest_group) {
        return Workspace::bytes_of<R>(source * chunk_stride) + Workspace::bytes_of<R>(target * padded(largest_group));
    }

    // source, target: the numbers of components.
    PairStage(std::size_t source, std::size_t target, std::size_t largest_group, Workspace& workspace)
        : chunk_(workspace.take<R>(source * chunk_stride)),
          targets_(workspace.take<R>(target * padded(largest_group))) {}

    // Component c of the i-particles, one behind the other; room for whole batches.
    R* target(std::size_t c) { return targets_ + c * stride_; }
    const R* target(std::size_t c) const { return targets_ + c * stride_; }

    // The room for j-particles before the next flush, and the place of component c of the next one; a whole batch may
    // be written there.
    std::size_t room() const { return chunk - filled_; }
    R* next(std::size_t c) { return chunk_ + c * chunk_stride + filled_; }

    // The number of slots for count values: a whole cache line may be read and written behind the last.
    static constexpr std::size_t padded(std::size_t count) { return whole_lines<R>(count + 64 / sizeof(R)); }

  protected:
    // Begins a group of count i-particles, whose components are to be written next; nothing is staged.
    void begin_group(std::size_t count) {
        count_ = count;
        stride_ = padded(count);
        filled_ = 0;
    }

    R* chunk_;    // staged j-particles: one array of chunk_stride for each component of Source
    R* targets_;  // i-particles: one array of stride_ for each component of Target
    std::size_t count_ = 0;
    std::size_t stride_ = 0;
    std::size_t filled_ = 0;
};

template <class I, class R>
class PairLoop : public PairStage<R> {
  public:
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Result = typename I::Result;
    using Sums = Record<Result, Batch<R>>;
    using Stage = PairStage<R>;

    using Stage::chunk;
    using Stage::chunk_stride;
    using Stage::width;

    // True if the interaction is there in this precision.
    static bool available(const I&) { return true; }

    static std::size_t workspace_bytes(const I&, std::size_t largest_group) {
        return Stage::workspace_bytes(Source::components, Target::components, largest_group) +
               Workspace::bytes_of<Sums>(largest_group);
    }

    PairLoop(const I& interaction, std::size_t largest_group, Workspace& workspace)
        : Stage(Source::components, Target::components, largest_group, workspace),
          interaction_(interaction),
          sums_(workspace.take<Sums>(largest_group)) {}

    // Begins a group of count i-particles, whose components are to be written next: all sums are zero, nothing is
    // staged.
    void begin(std::size_t count) {
        this->begin_group(count);
        for (std::size_t i = 0; i < count; ++i)
            sums_[i].each_component([](Batch<R>& value, std::size_t) { value = Batch<R>(R(0)); });
    }

    // To be called when count more j-particles have been written, count <= room(). Evaluates them if no room is left.
    void staged(std::size_t count) {
        filled_ += count;
        if (filled_ == chunk) flush();
    }

    // Evaluates the staged j-particles.
    void flush() {
        const std::size_t whole = filled_ / width * width;
        for (std::size_t i = 0; i < count_; ++i) {
            std::size_t j = add_pairs<8>(i, 0, whole);
            j = add_pairs<4>(i, j, whole);
            j = add_pairs<2>(i, j, whole);
            add_pairs<1>(i, j, whole);
        }
        if (whole < filled_)
            for (std::size_t i = 0; i < count_; ++i) add_masked(i, whole, filled_, none);
        filled_ = 0;
    }

    // Evaluates count j-particles that were written behind an empty stage; the k-th is i-particle first + k. Each
    // interacts with all but itself.
    void add_own(std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count_; ++i)
            add_masked(i, 0, count, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(first));
    }

    // The sum of i-particle i.
    Record<Result, double> sum(std::size_t i) {
        Record<Result, double> total;
        zip(total, sums_[i], [](double& value, Batch<R>& parts) { value = sum_of_lanes(parts); });
        return total;
    }

  private:
    using Stage::chunk_;
    using Stage::count_;
    using Stage::filled_;
    using Stage::stride_;
    using Stage::targets_;

    static constexpr std::ptrdiff_t none = -1;

    [[gnu::always_inline]] Record<Source, Batch<R>> source(std::size_t j) const {
        Record<Source, Batch<R>> record;
        record.each_component([&](Batch<R>& value, std::size_t c) { value = load(chunk_ + c * chunk_stride + j); });
        return record;
    }

    template <int Count>
    [[gnu::always_inline]] Record<Source, Batch<R, Count>> sources(std::size_t j) const {
        Record<Source, Batch<R, Count>> record;
        record.each_component([&](Batch<R, Count>& value, std::size_t c) {
            for (std::size_t k = 0; k < Count; ++k) value.part[k] = load(chunk_ + c * chunk_stride + j + k * width);
        });
        return record;
    }

    template <class V>
    [[gnu::always_inline]] Record<Target, V> target_record(std::size_t i) const {
        Record<Target, V> record;
        record.each_component([&](V& value, std::size_t c) { value = targets_[c * stride_ + i]; });
        return record;
    }

    // The inner loop: i-particle i with the j-particles from begin on, Count batches at once, as long as these end
    // before `end`. Returns the first j-particle left. Flatten: interactions of any length are inlined.
    template <int Count>
    [[gnu::flatten]] std::size_t add_pairs(std::size_t i, std::size_t begin, std::size_t end) {
        using V = Batch<R, Count>;
        using Sum = BatchSum<R, Count>;
        const auto target = target_record<V>(i);
        Record<Result, Sum> sum;
        zip(sum, sums_[i], [](Sum& value, Batch<R>& total) { value.total = total.part[0]; });
        std::size_t j = begin;
        for (; j + Count * width <= end; j += Count * width) interaction_(target, sources<Count>(j), sum);
        zip(sum, sums_[i], [](Sum& value, Batch<R>& total) { total = value.total; });
        return j;
    }

    // i-particle i with the j-particles [begin, end) except j = self. begin: at the beginning of a batch.
    void add_masked(std::size_t i, std::size_t begin, std::size_t end, std::ptrdiff_t self) {
        const Batch<R> lane = lane_numbers<R>();
        const auto target = target_record<Batch<R>>(i);
        Sums sum = sums_[i];
        for (std::size_t j = begin; j < end; j += width) {
            const auto offset = static_cast<std::ptrdiff_t>(j);
            const auto counts = lane < static_cast<R>(end - j) && lane != static_cast<R>(self - offset);
            Sums part;
            part.each_component([](Batch<R>& value, std::size_t) { value = Batch<R>(R(0)); });
            interaction_(target, source(j), part);
            zip(sum, part, [&](Batch<R>& value, Batch<R>& more) { value += select(counts, more, Batch<R>(R(0))); });
        }
        sums_[i] = sum;
    }

    const I& interaction_;
    Sums* sums_;  // for each i-particle, one partial sum a lane
};

TRELLIS_ISA_END
}  // namespace trellis
