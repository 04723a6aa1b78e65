// A reduction that is under way while its ranks go on: between sites it takes no trip of its own if they then wait for
// something else.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/sites/site_comm.hpp"

namespace trellis {

// all_reduce (ranks/comm/collective.hpp) in two calls that all ranks make; the results have the same bits. On several
// sites the values travel in between; on one, they do in finish.
template <class T, class Join>
class AsyncReduction {
  public:
    AsyncReduction(Comm& comm, T value, Join join) : comm_(comm), value_(std::move(value)), join_(std::move(join)) {
        if (SiteComm* sites = multi_site(comm)) under_way_ = sites->begin_all_gather(bytes_of(value_));
    }

    // Whether the values travel now.
    bool under_way() const { return under_way_ != nullptr; }

    // Called once.
    T finish() {
        if (!under_way()) return all_reduce(comm_, value_, join_);
        std::vector<std::byte> values;
        for (const Message& message : std::exchange(under_way_, nullptr)->finish())
            values.insert(values.end(), message.bytes.begin(), message.bytes.end());
        return joined_in_order<T>(std::move(values), join_);
    }

  private:
    Comm& comm_;
    T value_;
    Join join_;
    std::unique_ptr<Exchange> under_way_;
};

}  // namespace trellis
