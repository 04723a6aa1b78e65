#include "trellis/forces/tree/kernels/expansion_steps.hpp"

#include "trellis/base/batch.hpp"
#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/tree/expansions/l2l.hpp"
#include "trellis/forces/tree/expansions/l2p.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/forces/tree/kernels/moment_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// Potential and gradient at count positions, read and written component by component; arrays are padded to cache
// lines.
template <int Order, class R>
void field_of_local(const R* terms_of_local, R per_unit, const std::array<const R*, 3>& positions, std::size_t count,
                    const std::array<R*, 4>& field) {
    using V = Vector<R>;
    Terms<V, Order> local;
    for (std::size_t k = 0; k < local.size(); ++k) local[k] = all_lanes(terms_of_local[k]);
    const auto place = [&](std::size_t axis, std::size_t i) { return load(positions[axis] + i); };
    for (std::size_t i = 0; i < count; i += lanes<R>) {
        const Vec3<V> y{place(0, i), place(1, i), place(2, i)};
        const FieldValue<V> value = evaluate_local<Order, V>(local, {y.x * per_unit, y.y * per_unit, y.z * per_unit});
        store<R>(value.phi, field[0] + i);
        store<R>(value.gradient.x * per_unit, field[1] + i);
        store<R>(value.gradient.y * per_unit, field[2] + i);
        store<R>(value.gradient.z * per_unit, field[3] + i);
    }
}

template <class R>
ExpansionSteps<R> steps_at(int order) {
    return at_order(order, [](auto constant) {
        constexpr int Order = constant;
        return ExpansionSteps<R>{sizeof(R) * row_stride<Order, R>,
                                 sizeof(Terms<R, Order>),
                                 describe_moments<Order, R>,
                                 join_moments<Order, R>,
                                 add_parents_local<Order, R>,
                                 field_of_local<Order, R>,
                                 run_grid_on_cpu<LeafMoments<Order, R>>,
                                 run_grid_on_cpu<ParentMoments<Order, R>>,
                                 grid_arguments<LeafMoments<Order, R>>(),
                                 grid_arguments<ParentMoments<Order, R>>()};
    });
}

}  // namespace

ExpansionSteps<float> expansion_steps_in_single(int order) { return steps_at<float>(order); }
ExpansionSteps<double> expansion_steps_in_double(int order) { return steps_at<double>(order); }

TRELLIS_ISA_END
}  // namespace trellis
