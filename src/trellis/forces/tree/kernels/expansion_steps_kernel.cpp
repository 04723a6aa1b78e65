#include "trellis/forces/tree/kernels/expansion_steps.hpp"

#include "trellis/forces/tree/kernels/l2l.hpp"
#include "trellis/forces/tree/kernels/l2p.hpp"
#include "trellis/forces/tree/kernels/moment_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

template <class R>
ExpansionSteps<R> steps_at(int order) {
    return at_order(order, [](auto constant) {
        constexpr int Order = constant;
        return ExpansionSteps<R>{sizeof(R) * row_stride<Order, R>, sizeof(Terms<R, Order>),
                                 describe_moments<Order, R>,       join_moments<Order, R>,
                                 add_parents_local<Order, R>,      field_of_local<Order, R>};
    });
}

}  // namespace

ExpansionSteps<float> expansion_steps_in_single(int order) { return steps_at<float>(order); }
ExpansionSteps<double> expansion_steps_in_double(int order) { return steps_at<double>(order); }

TRELLIS_ISA_END
}  // namespace trellis
