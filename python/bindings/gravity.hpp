// Gravity in Python.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "forces.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/particle_mesh/tree_mesh_gravity.hpp"

struct GravitySettings final : AnyForce {
    std::unique_ptr<trellis::TreeForce> make_gravity(const trellis::Devices& devices = {}) const;
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        return make_gravity(devices);
    }
    SystemsForce among_systems() const override;
    // With all open ones chosen.
    GravitySettings in_use() const;
    // The softening of all particles; none: each has its own.
    std::optional<double> one_softening() const;

    double G = 1;
    std::variant<double, trellis::SofteningOfEach> softening = 0.0;
    trellis::ForceSettings force;
    trellis::TreeMeshSettings mesh;
};
