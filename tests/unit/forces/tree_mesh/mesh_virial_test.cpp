// The part of a mesh in the virial tensor of charges, on ranks and sites. Tests in Python compare it with Ewald's sum.
#include "trellis/forces/tree_mesh/mesh_virial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/ranks/sites/site_ranks.hpp"

namespace trellis::mesh_virial_of_charges_test {

using namespace fields;

using Tensor = std::array<Vec3<double>, 3>;
constexpr TreeMeshSettings mesh{.cells = 20, .cutoff = 6};

// Every `of`-th of 512 charges, from number `first` on.
ParticleSet share(int first, int of) {
    ParticleSet all = in_box("random", 8);
    models::Random random(6);
    for (double& q : all.add(charge)) q = random.uniform(-1, 1.5);
    std::vector<std::uint32_t> rows;
    for (auto row = static_cast<std::uint32_t>(first); row < all.size(); row += static_cast<std::uint32_t>(of))
        rows.push_back(row);
    ParticleSet part(rows.size());
    part.set_region(all.region());
    part.add(charge);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        part[position][k] = all[position][rows[k]];
        part[charge][k] = all[charge][rows[k]];
    }
    return part;
}

// Expects the tensor of one rank alone, with the same bits on all.
void check(const std::vector<Tensor>& found) {
    const Tensor alone = mesh_virial(serial_comm(), share(0, 1), 2, mesh);
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            EXPECT_NEAR(found[0][a][b], alone[a][b], 1e-10 * std::abs(alone[0][0]));
            for (const Tensor& each : found) EXPECT_EQ(each[a][b], found[0][a][b]);
        }
}

TEST(MeshVirialOfCharges, is_the_same_on_any_number_of_ranks) {
    std::vector<Tensor> found(3);
    run_ranks(3, [&](Comm& comm) {
        found[static_cast<std::size_t>(comm.rank())] =
            mesh_virial({&comm, [](Comm*) {}}, share(comm.rank(), comm.size()), 2, mesh);
    });
    check(found);
}

TEST(MeshVirialOfCharges, is_the_same_on_several_sites) {
    std::vector<Tensor> found(3);
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        found[static_cast<std::size_t>(comm.rank())] =
            mesh_virial({&comm, [](Comm*) {}}, share(comm.rank(), comm.size()), 2, mesh);
    });
    check(found);
}

TEST(MeshVirialOfCharges, needs_charges) {
    const ParticleSet masses = in_box("random", 4);
    EXPECT_THROW(mesh_virial(serial_comm(), masses, 1, mesh), InputError);
}

}  // namespace trellis::mesh_virial_of_charges_test
