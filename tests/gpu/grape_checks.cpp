#include "grape_checks.hpp"

#include <vector>

#include "grape/direct_sum.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/grape/board.hpp"

using namespace trellis;

namespace {

using grape_tests::Bodies;
using grape_tests::Forces;

void write(GrapeBoard& board, const Bodies& bodies) {
    std::vector<Vec3<double>> positions;
    for (const auto& x : bodies.x) positions.push_back({x[0], x[1], x[2]});
    board.write_positions(0, positions);
    board.write_masses(0, bodies.m);
}

double force_error(const std::shared_ptr<Device>& device, const Bodies& bodies, GrapeRange i, GrapeRange j,
                   double softening) {
    GrapeBoard board(device);
    write(board, bodies);
    board.start_forces_among(i, j, softening);
    const auto found = board.forces();
    Forces forces(i.count);
    for (std::size_t k = 0; k < i.count; ++k) {
        const Vec3<double>& a = found[k].acceleration;
        forces.a[k] = {a.x, a.y, a.z};
        forces.p[k] = found[k].potential;
    }
    const auto first = bodies.x.begin() + static_cast<std::ptrdiff_t>(i.first);
    const std::vector<grape_tests::Vector> targets(first, first + static_cast<std::ptrdiff_t>(i.count));
    return grape_tests::largest_error(forces, grape_tests::direct_sum(targets, bodies, softening, j.first, j.count));
}

struct Lists {
    std::vector<std::uint64_t> begins;
    std::vector<std::uint32_t> found;
    bool operator==(const Lists&) const = default;
};

Lists neighbours_on(const std::shared_ptr<Device>& device, const Bodies& bodies, GrapeRange i, GrapeRange j) {
    std::vector<double> radii;
    for (std::size_t k = 0; k < bodies.size(); ++k) radii.push_back(0.05 * static_cast<double>(k % 11));
    GrapeBoard board(device);
    write(board, bodies);
    board.write_radii(0, radii);
    board.start_neighbours(i, j);
    const GrapeNeighbours lists = board.neighbours();
    return {{lists.begins.begin(), lists.begins.end()}, {lists.found.begin(), lists.found.end()}};
}

}  // namespace

void check_grape(Checks& checks, const std::shared_ptr<Device>& device, bool small) {
    const std::size_t size = small ? 3000 : 20'000;
    const Bodies bodies = grape_tests::plummer(size);
    const struct {
        GrapeRange i, j;
        double softening;
    } cases[] = {{{0, size / 4}, {0, size}, 0.01}, {{7, 8}, {0, size}, 0}, {{size - 700, 700}, {5, 255}, 0.1}};
    for (const auto& [i, j, softening] : cases) {
        const double error = force_error(device, bodies, i, j, softening);
        const std::string what = std::to_string(j.count) + " on " + std::to_string(i.count);
        checks.that(error < 1e-6, "GRAPE, forces of " + what, "error " + to_text(error));
        checks.that(neighbours_on(device, bodies, i, j) == neighbours_on(open_device("cpu"), bodies, i, j),
                    "GRAPE, neighbours as on cpu, " + what);
    }
}
