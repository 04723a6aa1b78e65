// A reduction over all ranks that no rank waits for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/deferred_gather.hpp"

namespace trellis {

// all_reduce (ranks/comm/collective.hpp) in two collective calls, post and collect, which alternate; the results have
// the same bits. Between sites the values travel as those of DeferredGather.
template <class T>
class DeferredReduction {
  public:
    using Join = std::function<T(const T&, const T&)>;

    explicit DeferredReduction(Join join) : join_(std::move(join)) {}

    // Returns true if the result is known now, which it is on one site. comm: the same one in all calls.
    bool post(Comm& comm, const T& own) {
        if (comm.spans_sites()) {
            if (!gather_) gather_ = comm.make_deferred_gather();
            gather_->post(bytes_of(own));
        } else {
            result_ = all_reduce(comm, own, join_);
        }
        return result_.has_value();
    }

    // True between post and collect.
    bool pending() const { return result_ || (gather_ && gather_->pending()); }

    T collect() {
        if (const std::optional<T> result = std::exchange(result_, std::nullopt)) return *result;
        return joined_in_order<T>(joined_bytes(gather_->collect()), join_);
    }

  private:
    Join join_;
    std::unique_ptr<DeferredGather> gather_;  // null before the first post, and on one site
    std::optional<T> result_;                 // on one site
};

}  // namespace trellis
