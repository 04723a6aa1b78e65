// The long-range part of gravity, or of another force that falls as 1 / r^2, by a mesh.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/mesh/long_range_mesh.hpp"

namespace trellis {

struct MeshForceSettings {
    std::string strength = "mass";  // the field s that is the source of the force: mass, or a charge
    double coupling = -1;           // c in the energy c s_i s_j / r of a pair: -G for gravity
    S2Split split = {};
    MeshSettings mesh = {};
    Precision precision = Precision::automatic;  // of values at the nodes
};

// Adds to each particle the acceleration -(s_i / m_i) grad phi and the potential (s_i / m_i) phi, where phi = c sum s_j
// L(r_ij) over particles j and all images, over a uniform background that makes the sum of strengths 0. L: see S2Split.
// Images of a particle act on it, the particle itself does not.
class MeshForce : public Force {
  public:
    // Throws InputError for a setting out of its range.
    explicit MeshForce(MeshForceSettings settings);

    void attach(ParticleSet& particles, std::size_t number) override;
    // Begins to send the density; the Fourier transforms are left to retrieve.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    // Solves the mesh before retrieve does; collective, like it. For whoever has to wait before results may be written.
    void solve(Phases& phases);
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return false; }
    bool uses_previous_acceleration() const override { return false; }
    bool counts_for_accuracy() const override { return true; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return {Position::name, Mass::name, settings_.strength}; }
    std::span<const FieldInfo> results() const override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

  private:
    void make_mesh(const ParticleSet& particles, const std::shared_ptr<Comm>& comm);

    MeshForceSettings settings_;
    std::shared_ptr<Comm> comm_;  // the ranks of the mesh; null: the mesh has not been made
    Region region_;
    bool to_be_solved_ = false;  // dispatched, without its field yet
    std::variant<std::monostate, LongRangeMesh<float>, LongRangeMesh<double>> mesh_;
};

}  // namespace trellis
