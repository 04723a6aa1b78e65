#include "unit/forces/tree/rank_checks.hpp"

#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/forces/tree/shared_particles.hpp"

namespace trellis {

using namespace fields;

namespace {

// The sum of all masses that act: each must act once, whatever the lists.
struct MassSum : Field<double, "mass_sum", "mass", "mass of all that act"> {};
inline constexpr MassSum mass_sum;
struct CountMass {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<MassSum>;
    void operator()(const auto&, const auto& j, auto& sum) const { sum[mass_sum] += j[mass]; }
};

Ranks ranks_of(Comm& comm, const Multisection& cuts) {
    return {std::shared_ptr<Comm>(&comm, [](Comm*) {}), domain_tree(cuts.shape())};
}

std::shared_ptr<Device> device_named(const std::string& name) { return name == "host" ? nullptr : open_device(name); }

std::unique_ptr<ForceByTree> force_of(const RankCase& of, const ForceSettings& settings) {
    if (of.softenings) return gravity(SofteningOfEach{}, 1, settings, device_named(of.device));
    return gravity(0.02, 1, settings, device_named(of.device));
}

// With a small softening within a ball, and a large one outside.
ParticleSet softened(ParticleSet particles) {
    const auto e = particles.add(softening);
    for (std::size_t row = 0; row < e.size(); ++row)
        e[row] = norm(particles[position][row] - Vec3<double>{0.3, 0.1, -0.2}) < 0.5 ? 0.02 : 0.2;
    return particles;
}

// Root mean square of the relative differences of accelerations, over the rows that b has.
double difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
    double squares = 0, count = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (b[k].empty()) continue;
        ++count;
        const Vec3<double> first{a[k][0], a[k][1], a[k][2]}, second{b[k][0], b[k][1], b[k][2]};
        squares += dot(first - second, first - second) / dot(second, second);
    }
    return std::sqrt(squares / count);
}

// Forces by direct summation on every 29th row; the remaining rows are empty.
std::vector<std::vector<double>> exact_forces(const Force& force, const ParticleSet& all) {
    std::vector<std::vector<double>> exact(all.size());
    for (std::uint32_t row = 0; row < all.size(); row += 29) {
        exact[row].resize(4);
        force.reference(all, all, row, row, 0, exact[row].data());
    }
    return exact;
}

// Guessed accelerations, for criteria that use the previous ones.
std::vector<double> guessed_accelerations(const ParticleSet& own) {
    std::vector<double> previous;
    for (const Vec3<double>& place : own[position])
        previous.push_back(norm(place) / std::pow(1 + dot(place, place), 1.5));
    return previous;
}

}  // namespace

void check_all_mass_acts_once(Comm& comm, const models::Model& model, LetScheme scheme, const std::string& device,
                              bool compress) {
    ParticleSet all = model.make(1500, 1);
    for (double& m : all[mass]) m = 1;
    const Multisection cuts = cut_of(all, comm.size());
    const Ranks ranks = ranks_of(comm, cuts);
    ParticleSet own = share_of(all, cuts, comm.rank());
    for (const double theta : {0.3, 0.8}) {
        const ForceSettings settings{
            .theta = theta, .group_size = 16, .leaf_size = 4, .let = scheme, .compress = compress};
        const auto force = tree_force(CountMass{}, settings, device_named(device));
        force->attach(own, 0);
        compute_shared(*force, own, {{}, false, &ranks});
        for (std::size_t k = 0; k < own.size(); ++k)
            ASSERT_EQ(own[mass_sum][k], static_cast<double>(all.size() - 1)) << model.name << " theta " << theta;
    }
}

std::span<const RankCase> rank_cases() {
    static const RankCase cases[] = {
        {"fmm", {.accuracy = 1e-3}, "host", 1e-3},
        {"fmm_geometric", {.theta = 0.5, .order = 3}, "host", 5e-3},
        {"tree", {.theta = 0.5, .method = Method::tree}, "host", 5e-3},
        {"quadrupoles", {.accuracy = 1e-3, .method = Method::tree, .order = 2}, "host", 1e-3},
        {"double", {.theta = 0.4, .order = 5, .precision = Precision::double_}, "host", 4e-4},
        {"device", {.theta = 0.5, .method = Method::tree}, "cpu", 5e-3},
        {"device_fmm", {.accuracy = 1e-3, .method = Method::fmm}, "cpu", 1e-3},
        {"device_quadrupoles", {.accuracy = 1e-3, .method = Method::tree, .order = 2}, "cpu", 1e-3},
        {"compressed", {.accuracy = 1e-3, .compress = true}, "host", 1e-3},
        {"compressed_tree", {.theta = 0.5, .method = Method::tree, .compress = true}, "host", 5e-3},
        {"softenings", {.accuracy = 1e-3}, "host", 1e-3, true},
        {"softenings_compressed", {.accuracy = 1e-3, .compress = true}, "host", 1e-3, true},
        {"softenings_device", {.theta = 0.5, .method = Method::tree}, "cpu", 5e-3, true},
        {"softenings_device_fmm", {.accuracy = 1e-3, .method = Method::fmm, .compress = true}, "cpu", 1e-3, true}};
    return cases;
}

void check_forces_are_those_of_direct_summation(Comm& comm, const RankCase& of, LetScheme scheme,
                                                const models::Model& model) {
    const ParticleSet all = softened(model.make(1500, 1));
    const Multisection cuts = cut_of(all, comm.size());
    const Ranks ranks = ranks_of(comm, cuts);
    ParticleSet own = share_of(all, cuts, comm.rank());
    ForceSettings settings = of.settings;
    settings.let = scheme;
    const auto force = force_of(of, settings);
    const auto exact = exact_forces(*force, all);
    force->attach(own, 0);
    const auto previous = guessed_accelerations(own);
    compute_shared(*force, own, {previous, false, &ranks});
    const auto found = results_by_id(comm, *force, own, all.size());
    EXPECT_LT(difference(found, exact), of.error) << of.name << ' ' << model.name;
    Vec3<double> momentum{0, 0, 0};
    double sizes = 0;
    for (std::size_t row = 0; row < all.size(); ++row) {
        const Vec3<double> a{found[row][0], found[row][1], found[row][2]};
        momentum += all[mass][row] * a;
        sizes += all[mass][row] * norm(a);
    }
    EXPECT_LT(norm(momentum), of.error * sizes) << of.name << ' ' << model.name;
}

void check_reuse_follows(Comm& comm, const RankCase& of, LetScheme scheme, bool trust) {
    const ParticleSet all = softened(models::plummer(1500, 1)), later = [&] {
        ParticleSet moved = softened(models::plummer(1500, 1));
        models::Random random(7);
        for (auto& place : moved[position]) place = 0.98 * place + 1e-4 * random.direction();
        return moved;
    }();
    const Multisection cuts = cut_of(all, comm.size());
    const Ranks ranks = ranks_of(comm, cuts);
    ParticleSet own = share_of(all, cuts, comm.rank());
    ForceSettings settings = of.settings;
    settings.let = scheme;
    settings.lists = Lists::reuse;
    settings.trust_reuse_steps = trust;
    const auto force = force_of(of, settings);
    const auto exact = exact_forces(*force, later);
    force->attach(own, 0);
    const auto previous = guessed_accelerations(own);
    compute_shared(*force, own, {previous, false, &ranks});
    const auto built = results_by_id(comm, *force, own, all.size());
    compute_shared(*force, own, {previous, true, &ranks});
    EXPECT_EQ(results_by_id(comm, *force, own, all.size()), built) << of.name;
    for (std::size_t k = 0; k < own.size(); ++k) own[position][k] = later[position][own[id][k]];
    compute_shared(*force, own, {previous, true, &ranks});
    EXPECT_EQ(force->list_use().reuses, 2U) << of.name;
    EXPECT_LT(difference(results_by_id(comm, *force, own, all.size()), exact), 2 * of.error)
        << of.name;  // (1 + opening_growth)^8
}

}  // namespace trellis
