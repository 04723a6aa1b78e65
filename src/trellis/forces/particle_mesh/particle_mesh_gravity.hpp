// Gravity in a periodic box by a mesh and pairs (particle-particle particle-mesh, P3M; Hockney & Eastwood 1981).
#pragma once

#include <memory>

#include "trellis/forces/particle_mesh/mesh_force.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"

namespace trellis {

struct ParticleMeshSettings {
    int cells = 0;  // of the mesh along the longest side of the box; the others have theirs in proportion
    SplitShape split = SplitShape::s2;
    double split_length = 4;  // r_s or a, in cells
    double cutoff = 4;        // of pairs, in cells: up to 7 r_s, or a
    int order = 4;            // of the assignment: 2 (CIC), 3 (TSC) or 4 (PCS)
    MeshGradient gradient = MeshGradient::spectral;
    ShortRangeSettings pairs = {};
};

// The cutoff, by S2, at which the root-mean-square error of the accelerations is below accuracy times the root mean
// square of the net ones: as measured with as many cells as particles that are scattered, clustered, or displaced from
// a lattice (docs/mesh.md). Throws InputError for an accuracy below finest_mesh_accuracy or not below 1.
inline constexpr double finest_mesh_accuracy = 6e-5;
ParticleMeshSettings particle_mesh_settings(double accuracy, int cells);

// The mesh of a region, and its split, whose lengths are in units of length there.
struct MeshOfRegion {
    Nodes cells;
    Split split;
    double cutoff;
};
// Throws InputError for settings out of range, and for a region that is not periodic along all axes or, along one of
// them, not twice as long as the cutoff.
MeshOfRegion mesh_of_region(const Region& region, const ParticleMeshSettings& settings);

// phi_i = -G sum over particles and images of m_j / sqrt(r_ij^2 + softening^2), over a uniform background of the
// opposite mass (beyond the cutoff, without softening). Throws InputError for a value out of range; attach does for a
// region that does not suit: see mesh_of_region.
std::unique_ptr<Force> particle_mesh_gravity(double softening, double G, const ParticleMeshSettings& settings);

}  // namespace trellis
