#include "trellis/forces/run_time/run_time_force.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/device_kind.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/run_time/run_time_device.hpp"
#include "trellis/forces/run_time/run_time_kernel.hpp"

namespace trellis {

namespace {

template <class Kernels>
void provide_on(const Devices& devices, const RunTimePair& pair, Kernels& kernels) {
    for (const auto& device : devices.all())
        if (!names_graph_device(device->name()))
            throw InputError("the interaction " + pair.name + " is compiled at run time, which device " +
                             device->name() +
                             " cannot: allowed are host, cpu, and GPUs (cuda:0, hip:0, opencl:0), also of servers");
    if (!devices.none()) provide_on_devices(pair, kernels);
}

// The field to which a component belongs, counted through all fields.
const FieldInfo& field_of(const std::vector<FieldInfo>& fields, std::size_t component) {
    for (const FieldInfo& field : fields) {
        if (component < field.components) return field;
        component -= field.components;
    }
    throw std::logic_error("no field has this component");
}

// A force that has numbers for the kinds of both particles.
class ForceByKinds final : public ShortRangeForce {
  public:
    ForceByKinds(NeighbourKernels kernels, const std::shared_ptr<const RunTimePair>& pair, double cutoff,
                 const ShortRangeSettings& settings)
        : ShortRangeForce(std::move(kernels), pair, cutoff, settings),
          name_(pair->name),
          field_(field_of(pair->fields, pair->row_kinds.component).name),
          last_(pair->row_kinds.kinds - 1) {}

    void check_values(const ParticleSet& particles) const override {
        check_kinds(particles, field_, last_,
                    "whole numbers from 0 to " + std::to_string(last_) + ", as " + name_ + " has kinds");
    }

  private:
    std::string name_, field_;
    std::size_t last_;
};

}  // namespace

RunTimeMachine run_time_machine() { return {chosen_isa(), TRELLIS_VARIANT(run_time_vector_bytes)()}; }

std::unique_ptr<TreeForce> run_time_tree_force(std::shared_ptr<const RunTimePair> pair, const ForceSettings& settings,
                                               const Devices& devices) {
    const RunTimePair& kept = *pair;
    InteractionKernels kernels = TRELLIS_VARIANT(run_time_tree_kernels)(kept);
    provide_on(devices, kept, kernels);
    const ForceSettings chosen = kept.expandable() ? with_expansions_on_devices(settings) : settings;
    auto force = std::make_unique<TreeForce>(std::move(kernels), std::move(pair), 1, chosen, devices);
    const int order = force->choice().opening.order;
    if (!devices.none() && order > 1) provide_far_field_on_devices(kept, order);
    return force;
}

std::unique_ptr<ShortRangeForce> run_time_short_range_force(std::shared_ptr<const RunTimePair> pair, double cutoff,
                                                            const ShortRangeSettings& settings) {
    NeighbourKernels kernels = TRELLIS_VARIANT(run_time_neighbour_kernels)(*pair);
    provide_on(settings.device, *pair, kernels);
    if (pair->row_values > 0) return std::make_unique<ForceByKinds>(std::move(kernels), pair, cutoff, settings);
    return std::make_unique<ShortRangeForce>(std::move(kernels), std::move(pair), cutoff, settings);
}

}  // namespace trellis
