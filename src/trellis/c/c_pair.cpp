#include "trellis/c/c_pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "trellis/forces/run_time/run_time_force.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

namespace {

template <class R>
struct Context {
    CKernel<R> kernel;
    std::size_t lanes;  // of the sums
};

template <class R>
const CKernel<R>& kernel_of(const void* context) {
    return static_cast<const Context<R>*>(context)->kernel;
}

// Memory of this thread, which grows as needed. Each use has a number.
template <class R, int Use>
R* scratch(std::size_t count) {
    thread_local std::vector<R> values;
    if (values.size() < count) values.resize(count);
    return values.data();
}

// A result before any pair. That of an extreme is finite, for kernels that were compiled with -ffast-math.
template <class R>
R before_pairs(const CKernel<R>& kernel, std::size_t c) {
    constexpr R largest = std::numeric_limits<R>::max();
    return c < kernel.summed ? R(0) : c < kernel.summed + kernel.raised ? -largest : largest;
}

// Component c of an outcome (see RunTimePair): an extreme of no pair is infinite there.
template <class R>
double in_outcome(const CKernel<R>& kernel, std::size_t c, R result) {
    const bool untouched = c >= kernel.summed && result == before_pairs(kernel, c);
    return untouched ? std::copysign(std::numeric_limits<double>::infinity(), result) : static_cast<double>(result);
}

// i-particles and j-particles of calls, and the results.
template <class R>
class Tables {
  public:
    Tables(const CKernel<R>& kernel, const R* i, std::size_t i_stride, const R* j, std::size_t j_stride, R* results)
        : kernel_(kernel), i_(i), j_(j), results_(results), i_stride_(i_stride), j_stride_(j_stride) {}

    // Adds the effect of the j-particles from j on, on the i-particles from i on.
    void add(std::size_t i, std::size_t i_count, std::size_t j, std::size_t j_count) const {
        if (i_count > 0 && j_count > 0)
            kernel_.function(kernel_.of_user, i_count, i_stride_, i_ + i, j_count, j_stride_, j_ + j, results_ + i);
    }

    // The same where these are the same particles: each half acts on the other, then each on itself in this way.
    void add_own(std::size_t i, std::size_t j, std::size_t count) const {
        if (count < 2) return;
        const std::size_t half = count / 2;
        add(i, half, j + half, count - half);
        add(i + half, count - half, j, half);
        add_own(i, j, half);
        add_own(i + half, j + half, count - half);
    }

  private:
    const CKernel<R>& kernel_;
    const R *i_, *j_;
    R* results_;
    std::size_t i_stride_, j_stride_;
};

// Calls body(tables) with results that are then added to the first lane of the sums.
template <class R, class Body>
void add_to_sums(const void* context, const R* i, std::size_t i_stride, std::size_t i_count, const R* j,
                 std::size_t j_stride, R* sums, Body&& body) {
    const auto& [kernel, lanes] = *static_cast<const Context<R>*>(context);
    R* results = scratch<R, 0>(kernel.results * i_stride);
    for (std::size_t c = 0; c < kernel.results; ++c) std::fill_n(results + c * i_stride, i_count, R(0));
    body(Tables<R>(kernel, i, i_stride, j, j_stride, results));
    for (std::size_t c = 0; c < kernel.results; ++c)
        for (std::size_t k = 0; k < i_count; ++k) sums[(k * kernel.results + c) * lanes] += results[c * i_stride + k];
}

// See PairLoops::add_pairs.
template <class R>
void add_pairs(const void* context, const R* i, std::size_t i_stride, std::size_t i_count, const R* j,
               std::size_t j_stride, std::size_t j_count, R* sums) {
    add_to_sums(context, i, i_stride, i_count, j, j_stride, sums,
                [&](const Tables<R>& tables) { tables.add(0, i_count, 0, j_count); });
}

// See PairLoops::add_own.
template <class R>
void add_own(const void* context, const R* i, std::size_t i_stride, std::size_t i_count, const R* j,
             std::size_t j_stride, std::size_t j_count, R* sums, std::size_t first) {
    add_to_sums(context, i, i_stride, i_count, j, j_stride, sums, [&](const Tables<R>& tables) {
        const std::size_t end = first + j_count;
        tables.add(0, first, 0, j_count);
        tables.add(end, i_count - end, 0, j_count);
        tables.add_own(first, 0, j_count);
    });
}

// See PairLoops::cluster. The j-particles are put together in a table: those on the list, the others of the block, and
// last the cluster itself.
template <class R>
void add_cluster(const void* context, const R* i, const R* j, const R*, const std::uint32_t* list, std::size_t length,
                 std::uint32_t first, std::uint32_t own, std::uint32_t end, std::uint32_t, double* outcome) {
    const CKernel<R>& kernel = kernel_of<R>(context);
    const std::uint32_t behind = std::min<std::uint32_t>(first + SearchTree::cluster_size, end);  // the cluster's end
    const std::size_t of_block = end - own, i_count = of_block > 0 ? behind - first : SearchTree::cluster_size;
    const std::size_t stride = length + of_block, row = (kernel.j_components + 3) / 4 * 4;
    R* table = scratch<R, 1>(stride * kernel.j_components);
    std::size_t filled = 0;
    const auto put = [&](std::uint32_t number) {
        for (std::size_t c = 0; c < kernel.j_components; ++c) table[c * stride + filled] = j[number * row + c];
        ++filled;
    };
    std::for_each_n(list, length, put);
    for (std::uint32_t number = own; number < end; ++number)
        if (number < first || number >= behind) put(number);
    const std::size_t others = filled;
    for (std::uint32_t number = first; of_block > 0 && number < behind; ++number) put(number);

    constexpr std::size_t size = SearchTree::cluster_size;
    std::array<R, size * most_run_time_components> results;
    for (std::size_t n = 0; n < size * kernel.results; ++n) results[n] = before_pairs(kernel, n / size);
    const Tables<R> tables(kernel, i, size, table, stride, results.data());
    tables.add(0, i_count, 0, others);
    tables.add_own(0, others, filled - others);
    for (std::size_t n = 0; n < size * kernel.results; ++n) outcome[n] = in_outcome(kernel, n / size, results[n]);
}

// See RunTimePair::pair. Positions are relative to the i-particle, so that none of their digits are lost.
template <class R>
double one_pair(const void* context, const double* target, const double* source, double* outcome) {
    const CKernel<R>& kernel = kernel_of<R>(context);
    std::array<R, most_run_time_components> i, j, results;
    for (std::size_t c = 0; c < kernel.results; ++c) results[c] = before_pairs(kernel, c);
    const auto put = [&](const double* values, std::size_t components, R* to) {
        for (std::size_t c = 0; c < components; ++c) to[c] = static_cast<R>(c < 3 ? values[c] - target[c] : values[c]);
    };
    put(target, kernel.i_components, i.data());
    put(source, kernel.j_components, j.data());
    Tables<R>(kernel, i.data(), 1, j.data(), 1, results.data()).add(0, 1, 0, 1);
    for (std::size_t c = 0; c < kernel.results; ++c) outcome[c] = in_outcome(kernel, c, results[c]);
    if (!kernel.radius_of_i && !kernel.radius_of_j) return kernel.cutoff * kernel.cutoff;
    const double of_i = kernel.radius_of_i ? target[*kernel.radius_of_i] : 0;
    const double of_j = kernel.radius_of_j ? source[*kernel.radius_of_j] : 0;
    return std::max(of_i * of_i, of_j * of_j);
}

void as_it_is(const void*, const double*, double*) {}

}  // namespace

template <class R>
void set_kernel(RunTimePair& pair, const CKernel<R>& kernel) {
    const std::size_t lanes = run_time_machine().vector_bytes / sizeof(R);
    pair.state = std::make_shared<Context<R>>(Context<R>{kernel, lanes});
    PairLoops<R> loops;
    loops.add_pairs = add_pairs<R>;
    loops.add_own = add_own<R>;
    loops.cluster = add_cluster<R>;
    if constexpr (std::is_same_v<R, float>)
        pair.single_precision = loops;
    else
        pair.double_precision = loops;
    pair.pair = one_pair<R>;
    pair.finish = as_it_is;
}

template void set_kernel(RunTimePair&, const CKernel<float>&);
template void set_kernel(RunTimePair&, const CKernel<double>&);

}  // namespace trellis
