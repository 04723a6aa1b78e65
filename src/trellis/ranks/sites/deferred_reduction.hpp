// A reduction over all ranks whose result nobody waits for: its values travel with the next messages between sites.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/sites/deferred_gather.hpp"

namespace trellis {

// all_reduce (ranks/comm/collective.hpp) in two calls that all ranks make in turn, as those of DeferredGather; the
// results have the same bits.
template <class T>
class DeferredReduction {
  public:
    using Join = std::function<T(const T&, const T&)>;

    DeferredReduction(const SiteComm& comm, Join join) : gather_(comm), join_(std::move(join)) {}

    void tell(const T& own) { gather_.tell(bytes_of(own)); }
    bool told() const { return gather_.told(); }
    T heard() {
        std::vector<std::byte> values;
        for (const Message& message : gather_.heard())
            values.insert(values.end(), message.bytes.begin(), message.bytes.end());
        return joined_in_order<T>(std::move(values), join_);
    }

  private:
    DeferredGather gather_;
    Join join_;
};

}  // namespace trellis
