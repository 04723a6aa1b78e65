// The graph of a compiled pair interaction: its functor is called with numbers that note what is done to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "trellis/base/math.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/graphs/written_graph.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {

// The operations on the numbers of one call. All constants become parameters, so that interactions of one type that
// differ by numbers have the same graph.
class PairTrace {
  public:
    explicit PairTrace(std::uint32_t components) : components_(components) {}

    std::uint32_t field(Operation side, std::size_t c) { return note(side, {static_cast<std::uint32_t>(c)}); }
    std::uint32_t constant(double value) {
        parameters_.push_back(value);
        return note(Operation::parameter, {static_cast<std::uint32_t>(parameters_.size() - 1)});
    }
    std::uint32_t note(Operation operation, std::vector<std::uint32_t> args) {
        noted_.push_back({operation, std::move(args)});
        return static_cast<std::uint32_t>(noted_.size() - 1);
    }

    const std::vector<double>& parameters() const { return parameters_; }
    // The graph without results.
    WrittenGraph written(bool short_range) const {
        WrittenGraph graph(short_range ? 2 : 0, components_, static_cast<std::uint32_t>(parameters_.size()));
        for (const auto& [operation, args] : noted_) graph.apply(operation, args);
        return graph;
    }

  private:
    struct Noted {
        Operation operation;
        std::vector<std::uint32_t> args;
    };
    const std::uint32_t components_;
    std::vector<Noted> noted_;
    std::vector<double> parameters_;
};

// A number of a trace, or a constant, which becomes one where it is combined with one.
class Traced {
  public:
    Traced(double value = 0) : value_(value) {}  // NOLINT: as interactions write constants
    Traced(PairTrace& trace, std::uint32_t node) : trace_(&trace), node_(node) {}

    std::uint32_t node_in(PairTrace& trace) const { return trace_ == nullptr ? trace.constant(value_) : node_; }

    Traced& operator+=(const Traced& other) { return *this = *this + other; }
    Traced& operator-=(const Traced& other) { return *this = *this - other; }
    Traced& operator*=(const Traced& other) { return *this = *this * other; }
    Traced& operator/=(const Traced& other) { return *this = *this / other; }
    friend Traced operator+(const Traced& a, const Traced& b) {
        if (a.is(0)) return b;
        return b.is(0) ? a : of(Operation::add, a, b);
    }
    friend Traced operator-(const Traced& a, const Traced& b) { return b.is(0) ? a : of(Operation::sub, a, b); }
    friend Traced operator-(const Traced& a) { return Traced(0) - a; }
    friend Traced operator*(const Traced& a, const Traced& b) {
        if (a.is(1)) return b;
        return b.is(1) ? a : of(Operation::mul, a, b);
    }
    friend Traced operator/(const Traced& a, const Traced& b) { return a * of(Operation::reciprocal, b); }
    friend Traced rsqrt_of(const Traced& x) { return of(Operation::rsqrt, x); }
    friend Traced sqrt(const Traced& x) { return x * rsqrt_of(x); }
    friend Traced max(const Traced& a, const Traced& b) { return of(Operation::maximum, a, b); }

  private:
    static Traced of(Operation operation, const Traced& x) { return {x.trace(), x.trace().note(operation, {x.node_})}; }
    static Traced of(Operation operation, const Traced& a, const Traced& b) {
        PairTrace& trace = a.trace_ == nullptr ? b.trace() : a.trace();
        const std::uint32_t first = a.node_in(trace), second = b.node_in(trace);
        return {trace, trace.note(operation, {first, second})};
    }
    bool is(double value) const { return trace_ == nullptr && value_ == value; }
    PairTrace& trace() const { return *trace_; }

    PairTrace* trace_ = nullptr;
    std::uint32_t node_ = 0;
    double value_ = 0;
};

template <>
struct MathOf<Traced> {
    using Argument = Traced;
    static Traced rsqrt(const Traced& x) { return rsqrt_of(x); }
    static Traced constant(double value) { return {value}; }
};

template <class I>
SetsInteraction traced_pair(const I& interaction) {
    using namespace fields;
    using Result = typename I::Result;
    constexpr auto components = TargetComponents<I>::value;
    PairTrace trace(static_cast<std::uint32_t>(I::Source::components + components.size() - 3));
    Record<typename I::Target, Traced> i;
    i.each_component([&](Traced& value, std::size_t c) {
        if (c >= 3) value = {trace, trace.field(Operation::of_i, components[c])};  // the position is the origin
    });
    Record<typename I::Source, Traced> j;
    j.each_component([&](Traced& value, std::size_t c) { value = {trace, trace.field(Operation::of_j, c)}; });
    Record<Result, Traced> sum, factor;
    interaction(i, j, sum);
    factor.each_component([](Traced& value, std::size_t) { value = 1; });
    if constexpr (requires { interaction.finish(i, factor); })
        interaction.finish(i, factor);
    else if constexpr (requires { interaction.finish(factor); })
        interaction.finish(factor);
    double range = std::numeric_limits<double>::infinity();
    if constexpr (ShortRange<I>) range = interaction.cutoff;
    const Traced d2 = dot(j[position], j[position]);
    const std::uint32_t within = trace.note(Operation::less, {d2.node_in(trace), trace.constant(range * range)});
    std::vector<std::uint32_t> nodes;
    for (const auto& record : {sum, factor})
        for (const Traced& each :
             {record[acceleration].x, record[acceleration].y, record[acceleration].z, record[potential]})
            nodes.push_back(each.node_in(trace));
    WrittenGraph graph = trace.written(ShortRange<I>);
    for (std::size_t c = 0; c < 4; ++c) graph.sum(nodes[c], nodes[4 + c]);
    return {ShortRange<I> ? graph.bytes({within}) : graph.bytes(), {0, 3}, range, trace.parameters()};
}

}  // namespace trellis
