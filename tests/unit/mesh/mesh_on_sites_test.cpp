// The mesh on several sites: between them densities travel, once, and nothing else.
#include <gtest/gtest.h>

#include "unit/mesh/mesh_checks.hpp"
#include "unit/ranks/sites/site_ranks.hpp"

namespace trellis::mesh_on_sites_test {

using namespace mesh_checks;

constexpr int along = 18;
const S2Split split{0.2};

// The numbers of the charges in the slab of this rank's site, which its ranks share.
std::vector<std::size_t> in_slab_of(SiteComm& comm, const Charges& charges) {
    const auto sites = static_cast<double>(comm.sites().size());
    const auto within = own_site(shared(comm));
    std::vector<std::size_t> numbers;
    std::size_t next = 0;
    for (std::size_t k = 0; k < charges.positions.size(); ++k)
        if (static_cast<std::size_t>(charges.positions[k].x * sites) == comm.sites().own &&
            static_cast<int>(next++) % within->size() == within->rank())
            numbers.push_back(k);
    return numbers;
}

template <class T>
std::vector<PointField> field_on_sites(const std::vector<int>& ranks, const Charges& charges,
                                       const MeshSettings& settings) {
    std::vector<PointField> all(charges.positions.size());
    checks::run_sites(ranks, [&](SiteComm& comm) {
        LongRangeMesh<T> mesh(shared(comm), cube, split, settings);
        find_field(mesh, charges, in_slab_of(comm, charges), all);
    });
    return all;
}

template <class T>
void check_field(const Charges& charges, double tolerance) {
    const MeshSettings settings{.cells = {along, along, along}, .order = 3};
    std::vector<PointField> alone(charges.positions.size());
    LongRangeMesh<T> mesh(serial_comm(), cube, split, settings);
    find_field(mesh, charges, dealt_to(*serial_comm(), charges), alone);
    for (const std::vector<int>& ranks : {std::vector{2, 2}, std::vector{2, 1, 3}, std::vector{1, 1, 1, 1}}) {
        const auto found = field_on_sites<T>(ranks, charges, settings);
        EXPECT_LT(errors(found, alone).gradient, tolerance);
        EXPECT_LT(errors(found, alone).potential, tolerance);
        EXPECT_EQ(field_on_sites<T>(ranks, charges, settings), found);
    }
}

TEST(MeshOnSites, has_the_field_of_one_rank_and_the_same_bits_again) {
    const Charges charges = wave_sum::scattered(cube, 300, -0.5, 1.5);
    check_field<float>(charges, 1e-5);
    check_field<double>(charges, 1e-13);
}

// All in one thin slab, so that other sites have none.
TEST(MeshOnSites, has_it_where_sites_have_no_particles) {
    const Charges charges = wave_sum::scattered({{0.8, 0, 0}, {0.95, 1, 1}}, 300, -0.5, 1.5);
    check_field<float>(charges, 1e-5);
}

// Each force sends one message to each other site, which waits for no other message. Its bytes are those of the nodes
// in the slab and of two layers beside it, and hardly any for other nodes; half of that if particles move little.
TEST(MeshOnSites, sends_the_density_of_the_slab_once) {
    constexpr int finer = 48, times = 4;
    checks::run_sites({2, 3, 2}, [&](SiteComm& comm) {
        LongRangeMesh<float> mesh(shared(comm), cube, split, {.cells = {finer, finer, finer}, .order = 3});
        Charges charges = wave_sum::scattered(cube, 100'000, 1, 1);
        const auto numbers = in_slab_of(comm, charges);
        std::vector<PointField> fields(charges.positions.size());
        const bool gateway = own_site(shared(comm))->rank() == 0;
        for (int time = 0; time < times; ++time) {
            comm.all_gather({});
            const WideTraffic before = comm.wide_traffic();
            find_field(mesh, charges, numbers, fields);
            const WideTraffic& after = comm.wide_traffic();
            EXPECT_LE(after.critical_path_hops, before.critical_path_hops + 1);
            EXPECT_EQ(after.all().messages - before.all().messages, gateway ? 2U : 0U);
            EXPECT_EQ(after.all().bytes - before.all().bytes,
                      after.of(TrafficClass::densities).bytes - before.of(TrafficClass::densities).bytes);
            const auto bytes = static_cast<double>(after.all().bytes - before.all().bytes) / 2;
            const double plane = finer * finer, slab = plane * (finer / 3.0 + 3);
            EXPECT_LT(bytes, (time < 2 ? 4.2 : 2.1) * slab + 0.08 * plane * finer + 1000);
            EXPECT_GT(bytes, gateway && time < 2 ? 3 * slab : -1);
            for (Vec3<double>& place : charges.positions) place.y += 1e-5;
        }
    });
}

}  // namespace trellis::mesh_on_sites_test
