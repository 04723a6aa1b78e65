// Gravity in Python.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "forces.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

// A setting that changes with redshift: pairs of a redshift and the value from there on, down to the next one; the
// first value is that of all times before, too. Empty: it does not change.
using ByRedshift = std::vector<std::pair<double, double>>;

struct GravitySettings final : AnyForce {
    std::unique_ptr<trellis::ForceByTree> make_gravity(const trellis::Devices& devices = {}) const {
        return make_gravity(force, devices);
    }
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override;
    SystemsForce among_systems() const override;
    // With all open ones chosen; of those that change, the first.
    GravitySettings in_use() const;
    // The same by the method that takes least time in a box that is periodic along all axes, if none is given: TreePM,
    // where it serves these settings.
    GravitySettings in_periodic_box() const;
    // The softening of all particles; none: each has its own.
    std::optional<double> one_softening() const;
    // The softenings, as long as they may be.
    trellis::GravitySoftening softenings() const;

    double G = 1;
    std::variant<double, trellis::SofteningOfEach> softening = 0.0;
    double softening_max_physical = 0;  // 0: none
    trellis::ForceSettings force;
    trellis::TreeMeshSettings mesh;
    ByRedshift theta_by_redshift, accuracy_by_redshift;  // their first values are those of `force`

  private:
    std::unique_ptr<trellis::ForceByTree> make_gravity(const trellis::ForceSettings& settings,
                                                       const trellis::Devices& devices) const;
    std::unique_ptr<trellis::ForceByTree> make_tree_mesh(const trellis::ForceSettings& settings,
                                                         const trellis::Devices& devices) const;
};
