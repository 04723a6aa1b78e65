// A tree of particles weighted with their masses, and moments of its cells that depend on all particles of the cell.
#pragma once

#include <cstring>
#include <vector>

#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct WeighedTree {
    WeighedTree(const ParticleSet& particles, const Opening& opening, std::uint32_t leaf_size,
                const std::vector<double>& tolerance = {})
        : listed({field_info<Position>(), field_info<Mass>()}, 4, 3, opening, 64, leaf_size) {
        Phases phases;
        listed.build(particles, Position::name, tolerance, phases);
    }

    std::span<const Cell> cells() const { return listed.tree().cells(); }
    Vec3<double> place(std::size_t slot) const {
        const SortedColumns& columns = listed.columns();
        return {columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
    }
    double weight(std::size_t slot) const { return listed.columns().component(3)[slot]; }

    ListedTree listed;
};

// Mass, and mass times squared distance from the centre, joined by the parallel axis theorem.
class Inertia : public CellMoments {
  public:
    struct Values {
        double mass, inertia;
    };

    explicit Inertia(const WeighedTree* tree = nullptr) : tree_(tree) {}
    std::size_t bytes() const override { return sizeof(Values); }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t cell, std::byte* out) const override {
        const Cell& own = tree_->cells()[cell];
        const Values values = about(tree_->listed.moments().spheres()[cell].centre, own.first, own.end());
        std::memcpy(out, &values, sizeof values);
    }
    void join(const Sphere& parent, const std::array<Sphere, 2>& children,
              const std::array<const std::byte*, 2>& moments, std::byte* out) const override {
        Values both{0, 0};
        for (std::size_t k = 0; k < 2; ++k) {
            Values child;
            std::memcpy(&child, moments[k], sizeof child);
            const Vec3<double> apart = children[k].centre - parent.centre;
            both.mass += child.mass;
            both.inertia += child.inertia + child.mass * dot(apart, apart);
        }
        std::memcpy(out, &both, sizeof both);
    }

    Values about(const Vec3<double>& centre, std::size_t first, std::size_t end) const {
        Values values{0, 0};
        for (std::size_t slot = first; slot < end; ++slot) {
            const Vec3<double> offset = tree_->place(slot) - centre;
            values.mass += tree_->weight(slot);
            values.inertia += tree_->weight(slot) * dot(offset, offset);
        }
        return values;
    }

  private:
    const WeighedTree* tree_;
};

}  // namespace trellis
