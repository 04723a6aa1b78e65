#include "trellis/lists/essential/compressed_tree.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "trellis/lists/walk/walk_table.hpp"
#include "unit/particle_models.hpp"

namespace trellis::compressed_tree_test {

using namespace fields;

constexpr int digits = 12;

// Moments of order 2: the weight times a share for each term.
class SharedWeight : public CellMoments {
  public:
    static constexpr std::array<double, 10> shares{1, 0, 1e-7, -0.3, 0.1, 0.3, -0.2, 0.05, 1e-3, 0.4};

    explicit SharedWeight(const ListedTree& listed) : listed_(listed) {}
    std::size_t bytes() const override { return sizeof shares; }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t cell, std::byte* out) const override {
        auto moments = shares;
        for (double& moment : moments) moment *= listed_.moments().weights()[cell];
        std::memcpy(out, moments.data(), sizeof moments);
    }
    void join(const Sphere&, const std::array<Sphere, 2>&, const std::array<const std::byte*, 2>&,
              std::byte*) const override {}

  private:
    const ListedTree& listed_;
};

TreeValues emptied(TreeValues values) {
    std::ranges::fill(values.spheres, Sphere{});
    std::ranges::fill(values.weights, 0.0);
    for (auto* of_each : {&values.sums, &values.moments, &values.components})
        for (auto& some : *of_each) std::ranges::fill(some, 0.0);
    return values;
}

// The essential tree for a box of the same size beside that of the particles.
class Way {
  public:
    explicit Way(ParticleSet& particles)
        : listed_({field_info<Position>(), field_info<Mass>()}, 4, 3, {Receiver::particle, 0.5, 2}, 16, 8),
          moments_(listed_) {
        Phases phases;
        listed_.build(particles, Position::name, {}, phases);
        Bounds beside = listed_.moments().bounds()[0];
        const double side = beside.high.x - beside.low.x;
        beside.low.x += side;
        beside.high.x += side;
        Workspace space;
        const WalkTable table(walk_cells(listed_.tree(), listed_.moments()), listed_.sizes(), {}, space);
        const WalkTarget target{beside, 0.5 * (beside.low + beside.high), side, any_error, any_error, true};
        tree_ = find_essential_tree(listed_.tree().cells(), table.candidates(), listed_.opening(), target, 0);
    }

    void move_to(const ParticleSet& particles) {
        Phases phases;
        listed_.refresh(particles, phases);
    }
    const EssentialShape& shape() const { return tree_.shape; }
    TreeValues values() const { return values_of(tree_, listed_, moments_); }

  private:
    ListedTree listed_;
    SharedWeight moments_;
    EssentialTree tree_;
};

struct Ends {
    explicit Ends(const EssentialShape& shape) : here(shape, digits), there(shape, digits) {}
    TreeValues pass(const TreeValues& values) {
        ByteWriter out;
        here.write(values, out);
        const auto bytes = out.take();
        size = bytes.size();
        ByteReader in(bytes);
        TreeValues arrived = emptied(values);
        there.read(in, arrived);
        EXPECT_TRUE(in.at_end());
        return arrived;
    }
    CompressedTree here, there;
    std::size_t size = 0;
};

std::size_t raw_size(const TreeValues& values) {
    return values.spheres.size() * sizeof(Sphere) +
           values.weights.size() * (2 + values.moments.size()) * sizeof(double) +
           values.components[0].size() * values.components.size() * sizeof(double);
}

bool same(const TreeValues& a, const TreeValues& b) {
    return std::memcmp(a.spheres.data(), b.spheres.data(), a.spheres.size() * sizeof(Sphere)) == 0 &&
           a.weights == b.weights && a.sums == b.sums && a.moments == b.moments && a.components == b.components;
}

double off(const Vec3<double>& a, const Vec3<double>& b) { return std::sqrt(dot(a - b, a - b)); }

Vec3<double> place_of(const TreeValues& values, std::size_t slot) {
    return {values.components[0][slot], values.components[1][slot], values.components[2][slot]};
}

// The allowed error of a centre: half of radius * 2^-digits along each axis, or the rounding of double
// precision.
double tolerated(const Sphere& sphere, double farthest) {
    return std::sqrt(3) / 2 * std::max(std::ldexp(sphere.radius, -digits), farthest * 0x1p-51);
}

void check_spheres(const EssentialShape& shape, const TreeValues& sent, const TreeValues& arrived) {
    double farthest = 0;
    for (const Sphere& sphere : sent.spheres)
        farthest = std::max(farthest, std::sqrt(dot(sphere.centre, sphere.centre)) + sphere.radius);
    std::size_t leaf = 0, slot = 0;
    for (std::size_t k = 0; k < sent.spheres.size(); ++k) {
        const Sphere &from = sent.spheres[k], &to = arrived.spheres[k];
        EXPECT_LE(off(from.centre, to.centre), tolerated(to, farthest));
        EXPECT_LE(to.radius, from.radius * (1 + std::ldexp(6, -digits)));
        EXPECT_LE(from.radius + off(from.centre, to.centre), to.radius + tolerated({{}, 0}, farthest));
        if (shape.kinds[k] != CellKind::leaf) continue;
        for (const std::size_t end = slot + shape.leaf_counts[leaf++]; slot < end; ++slot) {
            EXPECT_LE(off(place_of(sent, slot), place_of(arrived, slot)), tolerated(to, farthest));
            EXPECT_LE(off(place_of(arrived, slot), to.centre), to.radius * (1 + 1e-15));
        }
    }
}

TEST(CompressedTree, is_as_exact_as_its_cells_need) {
    for (const models::Model& model : models::all_models)
        for (const std::size_t size : {1, 2, 3000}) {
            ParticleSet particles = model.make(size, 1);
            const Way way(particles);
            const TreeValues sent = way.values(), arrived = Ends(way.shape()).pass(sent);
            SCOPED_TRACE(std::string(model.name) + ' ' + std::to_string(size));
            check_spheres(way.shape(), sent, arrived);
            EXPECT_EQ(arrived.weights, sent.weights);
            EXPECT_EQ(arrived.sums, sent.sums);
            EXPECT_EQ(arrived.components[3], sent.components[3]);
        }
}

TEST(CompressedTree, has_moments_in_units_of_the_received_radius) {
    ParticleSet particles = models::plummer(3000, 1);
    const Way way(particles);
    const TreeValues sent = way.values(), arrived = Ends(way.shape()).pass(sent);
    const int order[] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    ASSERT_GT(sent.weights.size(), 10U);
    for (std::size_t k = 0, closed = 0; k < way.shape().kinds.size(); ++k) {
        if (way.shape().kinds[k] != CellKind::closed) continue;
        const double weight = sent.weights[closed];
        const double ratio = sent.spheres[k].radius > 0 ? arrived.spheres[k].radius / sent.spheres[k].radius : 1;
        EXPECT_EQ(arrived.moments[0][closed], sent.moments[0][closed]);
        for (std::size_t m = 1; m < sent.moments.size(); ++m)
            EXPECT_NEAR(arrived.moments[m][closed] * std::pow(ratio, order[m]), sent.moments[m][closed],
                        weight * std::ldexp(1.01, order[m] - 1 - digits));
        ++closed;
    }
}

// Particles that move through Plummer's sphere in steps of a given length.
struct Drift {
    explicit Drift(double length) : step(length) {
        models::Random random(3);
        for (std::size_t row = 0; row < particles.size(); ++row) velocities.push_back(random.direction());
    }
    void go_on() {
        for (std::size_t row = 0; row < particles.size(); ++row) {
            velocities[row] -= step * particles[position][row];
            particles[position][row] += step * velocities[row];
        }
    }
    double step;
    ParticleSet particles = models::plummer(3000, 1);
    std::vector<Vec3<double>> velocities;
};

TEST(CompressedTree, arrives_the_same_with_and_without_history) {
    Drift drift(0.01);
    Way way(drift.particles);
    const TreeValues at_first = way.values();
    Ends with_history(way.shape());
    EXPECT_TRUE(same(with_history.pass(at_first), Ends(way.shape()).pass(at_first)));
    for (int step = 1; step <= 20; ++step) {
        drift.go_on();
        way.move_to(drift.particles);
        Ends resumed(way.shape());
        resumed.pass(at_first);
        const TreeValues arrived = with_history.pass(way.values());
        EXPECT_TRUE(same(arrived, resumed.pass(way.values()))) << step;
        check_spheres(way.shape(), way.values(), arrived);
    }
}

TEST(CompressedTree, takes_few_bytes_and_fewer_from_step_to_step) {
    Drift drift(1.0 / 256);
    Way way(drift.particles);
    Ends ends(way.shape());
    const std::size_t raw = raw_size(way.values());
    ends.pass(way.values());
    EXPECT_LT(ends.size, raw / 2);  // masses differ
    std::size_t former = ends.size;
    for (int step = 1; step <= 2; ++step) {
        drift.go_on();
        way.move_to(drift.particles);
        ends.pass(way.values());
        EXPECT_LT(ends.size, former) << step;
        former = ends.size;
    }
    EXPECT_LT(former, raw / 10);
}

TEST(CompressedTree, equal_masses_take_no_room) {
    ParticleSet particles = models::plummer(3000, 1);
    for (double& m : particles[mass]) m = 0.1;
    const Way equal(particles);
    Ends ends(equal.shape());
    TreeValues values = equal.values();
    ends.pass(values);
    const std::size_t with_masses = ends.size;
    values.components.pop_back();
    Ends without(equal.shape());
    without.pass(values);
    EXPECT_LT(with_masses - without.size, 8 + values.components[0].size() / 16 + 2);
}

TEST(CompressedTree, of_another_step_is_refused) {
    ParticleSet particles = models::plummer(100, 1);
    const Way way(particles);
    CompressedTree here(way.shape(), digits), there(way.shape(), digits);
    TreeValues values = way.values();
    ByteWriter first, second;
    here.write(values, first);
    here.write(values, second);
    const auto bytes = second.take();
    ByteReader in(bytes);
    std::string message;
    try {
        there.read(in, values);
    } catch (const RunError& error) {
        message = error.what();
    }
    EXPECT_EQ(message, "an essential tree of step 1 of its lists has arrived: allowed is 0");
}

TEST(CompressedShape, is_read_with_sizes_rounded_up) {
    EssentialShape shape{{CellKind::inner, CellKind::leaf, CellKind::closed}, {1000000}, {3, 2.123456789, 1e-30}};
    ByteWriter out;
    write_compressed(shape, digits, out);
    const auto bytes = out.take();
    ByteReader in(bytes);
    const EssentialShape back = read_compressed_shape(in, digits);
    EXPECT_EQ(back.kinds, shape.kinds);
    EXPECT_EQ(back.leaf_counts, shape.leaf_counts);
    ASSERT_EQ(back.sizes.size(), shape.sizes.size());
    for (std::size_t k = 0; k < shape.sizes.size(); ++k) {
        EXPECT_GE(back.sizes[k], shape.sizes[k]);
        EXPECT_LE(back.sizes[k], shape.sizes[k] * (1 + std::ldexp(1, -digits)));
    }
}

}  // namespace trellis::compressed_tree_test
