// A reduction under way: between sites its values travel while the ranks work, or wait for other messages.
#pragma once

#include <memory>
#include <utility>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

// all_reduce (ranks/comm/collective.hpp) in two collective calls, constructor and finish, with the same bits.
template <class T, class Join>
class AsyncReduction {
  public:
    AsyncReduction(Comm& comm, T value, Join join) : comm_(comm), value_(std::move(value)), join_(std::move(join)) {
        if (comm.spans_sites()) under_way_ = comm.begin_all_gather(bytes_of(value_));
    }

    // True if the values travel between sites now; false on one site, where finish exchanges them.
    bool under_way() const { return under_way_ != nullptr; }

    // Returns value, joined over all ranks. Called once.
    T finish() {
        if (!under_way()) return all_reduce(comm_, value_, join_);
        return joined_in_order<T>(joined_bytes(std::exchange(under_way_, nullptr)->finish()), join_);
    }

  private:
    Comm& comm_;
    T value_;
    Join join_;
    std::unique_ptr<Exchange> under_way_;
};

}  // namespace trellis
