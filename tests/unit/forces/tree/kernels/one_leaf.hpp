// A leaf of unit masses near its centre, a target cell at the origin, and the leaf's moments in its row.
#pragma once
#include <vector>

#include "trellis/forces/tree/kernels/moment_rows.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

template <int Order>
class OneLeaf {
  public:
    static constexpr std::uint32_t target = 0, leaf = 1;

    OneLeaf(std::uint32_t count, const Vec3<double>& centre)
        : cells_{{0, 0, 0, 1}, {0, count, 0, 1}}, spheres_{{{0, 0, 0}, 0.5}, {centre, 0.5}}, units_{0.5, 0.5} {
        models::Random random(3);
        scene_.j_stride = padded_slots(count);
        slots_.assign(4 * scene_.j_stride, 1e30);  // slots behind the leaf's particles must not be read
        for (std::uint32_t slot = 0; slot < count; ++slot) {
            const Vec3<double> offset = 0.5 * random.uniform(0, 1) * random.direction();
            positions_.push_back(centre + offset);
            for (std::size_t c = 0; c < 4; ++c) slots_[c * scene_.j_stride + slot] = c < 3 ? offset[c] : 1;
        }
        scene_.cells = cells_;
        scene_.spheres = spheres_;
        scene_.units = units_;
        scene_.j_particles = slots_.data();
        space_.start(2 * sizeof(double) * row_stride<Order, double>);
        rows_ = space_.take<double>(2 * row_stride<Order, double>);
        describe_moments<Order, double>(scene_, 3, leaf, leaf + 1, rows_);
    }
    OneLeaf(const OneLeaf&) = delete;
    OneLeaf& operator=(const OneLeaf&) = delete;

    const Scene& scene() const { return scene_; }
    const double* rows() const { return rows_; }
    const double* moments() const { return rows_ + leaf * row_stride<Order, double>; }
    const std::vector<Vec3<double>>& positions() const { return positions_; }

    // The field at a point: sum 1 / r and its gradient.
    FieldValue<double> field_at(const Vec3<double>& point) const {
        FieldValue<double> sum{0, {0, 0, 0}};
        for (const Vec3<double>& from : positions_) {
            const Vec3<double> d = point - from;
            const double r2 = dot(d, d);
            sum.phi += 1 / std::sqrt(r2);
            sum.gradient -= d / (r2 * std::sqrt(r2));
        }
        return sum;
    }

  private:
    Cell cells_[2];
    Sphere spheres_[2];
    double units_[2];
    std::vector<double> slots_;
    std::vector<Vec3<double>> positions_;
    Workspace space_;
    double* rows_ = nullptr;
    Scene scene_{};
};

}  // namespace trellis
