// External fields in Python: settings of which simulations make a force, and resident ones take the field itself.
#pragma once

#include <memory>

#include "forces.hpp"
#include "trellis/forces/external/external_force.hpp"

struct ExternalSettings : AnyForce {
    virtual std::shared_ptr<const trellis::ExternalField> field() const = 0;

    // A field is evaluated on the host, wherever other forces are.
    std::unique_ptr<trellis::Force> make(const trellis::Devices&) const override {
        return std::make_unique<trellis::ExternalForce>(field());
    }
};
