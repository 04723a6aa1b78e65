#include "trellis/resident/resident_force.hpp"

#include "trellis/base/error.hpp"

namespace trellis {

ResidentForce::ResidentForce(std::shared_ptr<Device> device, Queue& queue, ResidentColumns& columns)
    : device_(std::move(device)), queue_(queue), columns_(columns), state_(device_, queue) {}

void ResidentForce::add(std::shared_ptr<const ExternalField> field) {
    if (field->kernel().empty())
        throw InputError(
            "an external field has no kernel for particles that stay on a device: allowed are the built-in ones, and in"
            " C++ one with Target = Fields<Position> and Result = Fields<Acceleration, ExternalPotential>");
    columns_.add_external();
    fields_.push_back(std::move(field));
}

void ResidentForce::add_fields(double time) {
    bool first = true;
    for (const auto& field : fields_) {
        field->launch(queue_, time, first, columns_.size(), columns_.position(), columns_.acceleration(),
                      columns_.external_acceleration(), columns_.external_potential());
        first = false;
    }
}

}  // namespace trellis
