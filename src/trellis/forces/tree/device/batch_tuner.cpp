#include "trellis/forces/tree/device/batch_tuner.hpp"

#include <algorithm>
#include <iterator>

namespace trellis {

void BatchTuner::note(double seconds, std::uint64_t pairs) {
    most_pairs_ = std::max(most_pairs_, pairs);
    if (done() || 2 * pairs < most_pairs_) return;
    if (!warm_) {
        warm_ = true;
        return;
    }
    if (next_ == 0 || seconds < fastest_seconds_) {
        fastest_ = next_;
        fastest_seconds_ = seconds;
    }
    if (++next_ == std::size(candidates)) best_ = fastest_;
}

}  // namespace trellis
