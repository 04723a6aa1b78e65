// Gravity in Python.
#pragma once

#include <memory>
#include <utility>

#include "forces.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"

struct GravitySettings final : AnyForce {
    std::unique_ptr<trellis::TreeForce> make_gravity(std::shared_ptr<trellis::Device> device = nullptr) const {
        return trellis::gravity(softening, G, force, std::move(device));
    }
    std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const override {
        return make_gravity(std::move(device));
    }
    // With all open ones chosen.
    GravitySettings in_use() const;

    double G = 1, softening = 0;
    trellis::ForceSettings force;
};
