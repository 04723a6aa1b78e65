#include <memory>
#include <utility>
#include <vector>

#include "trellis/forces/run_time/far_field/far_on_processor.hpp"
#include "trellis/forces/run_time/far_field/graph_field.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

template <int Order, class R>
void run(const FarGraph& far, const KernelCall& call) {
    using Field = GraphField<R>;
    using Values = FarValues<R>;
    const bool makes_locals = far.head.kernel == FarKernel::locals;
    const std::size_t head = makes_locals ? sizeof(LocalsCall) : sizeof(FarFieldCall);
    const auto* parameters = reinterpret_cast<const double*>(call.constants.data() + head);
    std::vector<std::unique_ptr<Values>> all(static_cast<std::size_t>(thread_count()));
    const auto of_thread = [&](int thread) {
        auto& values = all[static_cast<std::size_t>(thread)];
        if (values == nullptr) values = std::make_unique<Values>(far, parameters);
        return Field{values.get()};
    };
    if (makes_locals)
        locals_of_rows<Order, Field, R>(call, of_thread);
    else
        far_field_of_rows<Order, Field, R>(call, of_thread);
}

}  // namespace

FarOnProcessor far_on_processor(FarGraph far) {
    return [far = std::move(far)](const KernelCall& call) {
        at_order(far.head.order,
                 [&](auto order) { far.single() ? run<order, float>(far, call) : run<order, double>(far, call); });
    };
}

TRELLIS_ISA_END
}  // namespace trellis
