// The mesh of TreePM: its cells, and the cutoff of the part that is left to the tree.
#pragma once

#include "trellis/mesh/node_box.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// Zero: chosen for the accuracy.
struct TreeMeshSettings {
    int cells = 0;      // of the mesh along the longest side of the box; chosen: twice as many along each axis as
                        // particles, or more
    double cutoff = 0;  // of the short-range part, which is that of S2, in cells
};

// The finest accuracy for which a cutoff is chosen: half of the square of the error is left to the tree.
inline constexpr double finest_tree_mesh_accuracy = 9e-5;
// The cutoff, in cells, that is chosen for an accuracy. Throws InputError for an accuracy out of range.
double tree_mesh_cutoff(double accuracy);

// The settings with the cutoff chosen. Throws InputError for a value out of range.
TreeMeshSettings with_cutoff(TreeMeshSettings mesh, double accuracy);

constexpr int tree_mesh_assignment = 4;  // order of the assignment: PCS

struct MeshOfRegion {
    Nodes cells;
    double cutoff;  // in units of length
};
// The mesh for `particles` particles in the region. mesh: with its cutoff; without cells, twice as many along each axis
// are chosen as there are particles, and enough for the cutoff along the shortest side. Throws InputError for a
// region that is not periodic along all axes or, along one of them, not twice as long as the cutoff.
MeshOfRegion mesh_of_region(const Region& region, TreeMeshSettings mesh, double particles);

}  // namespace trellis
