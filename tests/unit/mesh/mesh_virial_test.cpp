// The virial tensor of a mesh, against energies of strained boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/mesh/mesh_checks.hpp"
#include "unit/ranks/sites/site_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::mesh_virial_test {

using namespace mesh_checks;

using Tensor = std::array<Vec3<double>, 3>;
const Region box{{-1, 2, 0}, {1, 3, 1.5}};
const S2Split split{0.8};

// The part of one of the ranks of a site.
template <class T>
Tensor part_of(Comm& comm, const Charges& charges, const std::vector<std::size_t>& numbers, const Nodes& cells) {
    Charges own;
    for (const std::size_t k : numbers) {
        own.positions.push_back(charges.positions[k]);
        own.strengths.push_back(charges.strengths[k]);
    }
    Phases phases;
    LongRangeMesh<T> mesh(shared(comm), box, split, {.cells = cells, .order = 4});
    mesh.begin(own.positions, own.strengths, phases);
    return mesh.finish_virial(phases);
}

Tensor sum_over(Comm& comm, const Tensor& part) {
    return all_reduce(comm, part, [](Tensor a, const Tensor& b) {
        for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += b[axis];
        return a;
    });
}

template <class T>
Tensor virial_on(int ranks, const Charges& charges, const Nodes& cells = {36, 20, 28}) {
    Tensor found{};
    run_ranks(ranks, [&](Comm& comm) {
        const Tensor sum = sum_over(comm, part_of<T>(comm, charges, dealt_to(comm, charges), cells));
        if (comm.rank() == 0) found = sum;
    });
    return found;
}

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

double largest_difference(const Tensor& a, const Tensor& b) {
    double largest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) largest = std::max(largest, norm(a[axis] - b[axis]));
    return largest;
}

TEST(MeshVirial, is_how_the_energy_changes_with_strain) {
    for (const double lowest : {-1.0, 0.5}) {  // charges of both signs, and of one: then there is a background
        const Charges charges = wave_sum::scattered(box, 10, lowest, 1);
        const Tensor found = virial_on<double>(1, charges);
        Tensor exact{};
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                const auto energy = [&](double h) { return wave_sum::energy(charges, box, split, 14, a, b, h); };
                exact[a][b] = -(energy(1e-3) - energy(-1e-3)) / 2e-3;
            }
        EXPECT_GT(std::abs(exact[0][1]), 0.01 * norm(exact[0]));
        EXPECT_LT(largest_difference(found, exact), 2e-4 * norm(exact[0]));
    }
}

TEST(MeshVirial, is_the_same_on_any_number_of_ranks) {
    const Charges charges = wave_sum::scattered(box, 500, -1, 1);
    const Tensor alone = virial_on<double>(1, charges);
    for (const int ranks : {2, 3, 7}) EXPECT_LT(largest_difference(virial_on<double>(ranks, charges), alone), 1e-10);
    EXPECT_LT(largest_difference(virial_on<float>(2, charges), alone), 1e-5 * norm(alone[0]));
}

TEST(MeshVirial, is_whole_on_each_site) {
    const Charges charges = wave_sum::scattered(box, 500, -1, 1);
    const Tensor alone = virial_on<double>(1, charges);
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        const Tensor part = part_of<double>(comm, charges, dealt_to(comm, charges), {36, 20, 28});
        EXPECT_LT(largest_difference(sum_over(*own_site(shared(comm)), part), alone), 1e-10);
    });
}

TEST(MeshVirial, has_the_same_bits_for_any_number_of_threads) {
    const Charges charges = wave_sum::scattered(box, 20000, -1, 1);
    const auto once = with_threads(1, [&] { return virial_on<float>(1, charges); });
    EXPECT_EQ(largest_difference(with_threads(3, [&] { return virial_on<float>(1, charges); }), once), 0);
}

// A mirror changes the sign of the components with one of its indices along its axis. The coarse mesh gives its highest
// waves, whose signs it does not determine, a large share.
TEST(MeshVirial, is_mirrored_with_the_charges) {
    const Charges charges = wave_sum::scattered(box, 20, -1, 1);
    const Nodes coarse{6, 4, 6};
    const Tensor found = virial_on<double>(1, charges, coarse);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Charges mirrored = charges;
        for (Vec3<double>& at : mirrored.positions) at[axis] = 2 * box.low[axis] - at[axis];
        Tensor back = virial_on<double>(1, mirrored, coarse);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                if ((a == axis) != (b == axis)) back[a][b] = -back[a][b];
        EXPECT_LT(largest_difference(back, found), 1e-11);
    }
}

TEST(S2Split, has_the_slope_of_its_filter) {
    for (const double u : {0.01, 0.2, 0.2999, 0.3001, 1.0, 4.0, 6.283185, 9.0, 30.0}) {
        const double k = u * 2 / split.diameter, h = 1e-4 * k;
        const double slope =
            (split.filter(k - 2 * h) - 8 * split.filter(k - h) + 8 * split.filter(k + h) - split.filter(k + 2 * h)) /
            (12 * h);
        EXPECT_NEAR(split.filter_slope(k), k * slope, 2e-9);
    }
    EXPECT_NEAR(split.filter_slope(0.75 - 1e-12), split.filter_slope(0.75 + 1e-12), 1e-12);  // u = 0.3
}

}  // namespace trellis::mesh_virial_test
