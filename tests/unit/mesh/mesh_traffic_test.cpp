// The messages that a rank with a cube for its domain sends for one solution of the mesh, and their bytes over those
// of its share of the nodes.
#include <array>
#include <functional>

#include "budgets/budget.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/mesh/mesh_checks.hpp"

namespace trellis::mesh_traffic_test {

struct Budget {
    int along;      // ranks along each axis
    double shares;  // bytes over those of the rank's share of the nodes
    double messages;
};

class MeshTraffic : public testing::TestWithParam<Budget> {};

// The middle of each node's cell in the domain of this rank.
std::vector<Vec3<double>> positions_of(int rank, int along, int cells) {
    const int side = cells / along;
    const std::array domain{rank / (along * along), rank / along % along, rank % along};
    std::vector<Vec3<double>> positions;
    for (int k = 0; k < side * side * side; ++k) {
        const std::array in{k / (side * side), k / side % side, k % side};
        const auto at = [&](std::size_t axis) { return (domain[axis] * side + in[axis] + 0.5) / cells; };
        positions.push_back({at(0), at(1), at(2)});
    }
    return positions;
}

TEST_P(MeshTraffic, is_kept) {
    const auto [along, shares, messages] = GetParam();
    constexpr int cells = 64;
    const int ranks = along * along * along;
    run_ranks(ranks, [&](Comm& comm) {
        LongRangeMesh<float> mesh(mesh_checks::shared(comm), mesh_checks::cube, {6.0 / cells},
                                  {{cells, cells, cells}, 3});
        const auto positions = positions_of(comm.rank(), along, cells);
        const std::vector<double> strengths(positions.size(), 1.0);
        const Traffic before = comm.traffic();
        Phases phases;
        mesh.begin(positions, strengths, phases);
        mesh.finish(phases);
        const Traffic step{comm.traffic().messages - before.messages, comm.traffic().bytes - before.bytes};
        const auto a_rank = [&](std::uint64_t sent) {
            return static_cast<double>(all_reduce(comm, sent, std::plus<>())) / ranks;
        };
        const double sent = a_rank(step.messages), bytes = a_rank(step.bytes);
        if (comm.rank() != 0) return;
        budgets::expect_within(shares, bytes / (4.0 * cells * cells * cells / ranks),
                               "times a rank's part of the mesh");
        budgets::expect_within(messages, sent, "messages a rank");
    });
}

INSTANTIATE_TEST_SUITE_P(, MeshTraffic, testing::Values(Budget{2, 9.79, 45}, Budget{4, 15.8, 113.2}));

}  // namespace trellis::mesh_traffic_test
