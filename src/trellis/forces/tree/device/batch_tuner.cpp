#include "trellis/forces/tree/device/batch_tuner.hpp"

#include <iterator>

namespace trellis {

void BatchTuner::note(double seconds) {
    if (done()) return;
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
