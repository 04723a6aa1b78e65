// Gravity in Python.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forces.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"

struct GravitySettings final : AnyForce {
    GravitySettings(double softening, double G, const trellis::ForceSettings& force, std::optional<std::string> device)
        : AnyForce(std::move(device)), softening(softening), G(G), force(force) {}

    std::unique_ptr<trellis::TreeForce> make_gravity(std::shared_ptr<trellis::Device> device = nullptr) const {
        return trellis::gravity(softening, G, force, std::move(device));
    }
    std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const override {
        return make_gravity(std::move(device));
    }
    std::string text() const override;

    double softening, G;
    trellis::ForceSettings force;
};
