#include "trellis/forces/tree/device/batches/frames.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

template <class R>
void write_frames(const ListedTree& listed, std::span<const double> units, R* frames) {
    const Moments& moments = listed.moments();
    const Vec3<double> corner = listed.tree().root_box().low;
    const double* softenings = listed.softening() ? moments.sum(*listed.softening()) : nullptr;
    parallel_for(units.size(), [&](std::size_t cell) {
        R* frame = frames + cell * frame_values;
        write_row_position(moments.spheres()[cell].centre - corner, frame);
        frame[frame_unit] = static_cast<R>(units[cell]);
        frame[frame_widening] = static_cast<R>(softenings == nullptr ? 0 : widening_of(softenings[cell]));
    });
}

template void write_frames(const ListedTree& listed, std::span<const double> units, float* frames);
template void write_frames(const ListedTree& listed, std::span<const double> units, double* frames);

}  // namespace trellis
