// Values that the kinds of both particles decide, of an interaction that is compiled at run time. For kernel sources
// only.
#pragma once

#include <cstddef>
#include <span>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/kernels/kind_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The rows of a cluster are filled before its list and its masked entries read them. A number is added to the kinds of
// j-particles, whole numbers from -1 on, so that the last bits of the sum are the byte at which their row begins: 2^18
// has 5 bits of its 23 behind the point, 2^46 has 6 of 52.
template <class R>
class KindRows<RunTimePair, R> {
  public:
    static std::size_t bytes(const RunTimePair& pair, std::size_t) { return Workspace::bytes_of<R>(pair.row_values); }
    KindRows(const RunTimePair& pair, std::size_t, Workspace& workspace)
        : pair_(pair), rows_(workspace.take<R>(pair.row_values)) {}

    static constexpr bool is_kind(std::size_t) { return false; }
    void stage(const double*, std::size_t, std::size_t, std::size_t) {}
    void fill(std::span<const double* const>, std::uint32_t) {}

    void shift(double* shifts) const {
        if (pair_.row_values > 0) shifts[pair_.row_kinds.component] = -added;
    }
    void stage_absent(std::size_t, R* row) const {
        if (pair_.row_values > 0) row[pair_.row_kinds.component] = static_cast<R>(added);
    }
    const R* of_cluster(const R* target) {
        if (pair_.row_values > 0) pair_.loops<R>().fill_rows(pair_.context(), target, rows_);
        return rows_;
    }

  private:
    static constexpr double added = (sizeof(R) == sizeof(float) ? 0x1p18 : 0x1p46) + 1;

    const RunTimePair& pair_;
    R* rows_;
};

TRELLIS_ISA_END
}  // namespace trellis
