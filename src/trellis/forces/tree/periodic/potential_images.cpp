// An interaction of long range that is the gradient of a potential, in a periodic cube: the images that no list has.
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/result_components.hpp"
#include "trellis/forces/tree/periodic/cube_complement.hpp"
#include "trellis/forces/tree/periodic/image_points.hpp"
#include "trellis/forces/tree/periodic/potential_lattice.hpp"
#include "trellis/forces/tree/shown_coupling.hpp"
#include "trellis/particles/nearest_images.hpp"

namespace trellis {

namespace {

// The particle of one row alone, in another position.
ParticleSet moved(const ParticleSet& particles, std::span<const FieldInfo> fields, std::uint32_t row,
                  const Vec3<double>& to) {
    ParticleSet one(1);
    for (const FieldInfo& field : fields) {
        if (!one.has(field.name)) one.add(field);
        const double* values = particles.column(field.name).values() + row * field.components;
        std::copy_n(values, field.components, one.column(field.name).values());
    }
    one[fields::position][0] = to;
    return one;
}

class PotentialImages final : public CubeComplement {
  public:
    PotentialImages(CompiledInteraction interaction, double accuracy)
        : CubeComplement("a potential of long range"), interaction_(std::move(interaction)), accuracy_(accuracy) {}

    void check(const Region& region, double accuracy) const override {
        check_cube(region, accuracy, "under a potential of long range are equal periods");
    }

    double strength_of(const ParticleSet& particles) const override {
        return weight_of(strengths_of(particles), particles);
    }

    void add(ParticleSet& particles, Phases& phases) override {
        forces(phases);
        const PhaseTimer timer(phases, Phase::force_kernel);
        std::vector<double> phi(particles.size());
        std::vector<Vec3<double>> gradients(particles.size(), {0, 0, 0});
        add_between_points(cube(), field_, std::as_const(particles)[fields::position], 1, phi, gradients);
        std::vector<ResultComponent> results;
        find_components(particles, interaction_.kernels.results, results);
        parallel_blocks(phi.size(), 2048, [&](std::size_t first, std::size_t end) {
            std::vector<double> values((end - first) * results.size());
            results_of_field(particles, first, std::span(phi).subspan(first, end - first),
                             std::span(gradients).subspan(first, end - first), values.data());
            for (std::size_t k = 0; k < values.size(); ++k) {
                const ResultComponent& result = results[k % results.size()];
                result.values[(first + k / results.size()) * result.stride] += values[k];
            }
        });
    }

    void prepare_reference(const Region& region) override {
        take_lattice(period_of(region), {region.periodic(0), region.periodic(1), region.periodic(2)});
    }

    // The nearest images one by one, those beyond by the lattice itself, without the points of a cube.
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        const InteractionKernels& kernels = interaction_.kernels;
        const std::size_t components = components_of(kernels.results);
        std::vector<double> part(components);
        std::fill_n(values, components, 0.0);
        const auto add_part = [&] {
            for (std::size_t c = 0; c < components; ++c) values[c] += part[c];
        };
        const Vec3<double> at = targets[fields::position][row];
        for (const Vec3<double>& shift : nearest_images(sources.region())) {
            const ParticleSet target = moved(targets, kernels.fields, row, at - shift);
            kernels.reference(interaction_.parameters.get(), sources, target, 0,
                              shift == Vec3<double>{0, 0, 0} ? self : -1, part.data());
            add_part();
        }
        const PotentialLattice::Value far = far_field(sources, at);
        results_of_field(targets, row, {&far.value, 1}, {&far.gradient, 1}, part.data());
        add_part();
    }

  private:
    // The sum of strengths times responses, and the number of particles.
    using Totals = std::array<double, 2>;
    static Totals sum_of_totals(const Totals& a, const Totals& b) { return {a[0] + b[0], a[1] + b[1]}; }
    // Sums over all ranks.
    struct Sums {
        SumOfPoints strengths;
        AsyncReduction<Totals, decltype(&sum_of_totals)> totals;
    };

    bool begin_sums(const ParticleSet& particles, Comm& comm) override {
        take_lattice(cube().side, cube().periodic);
        take_table();
        const std::vector<double> strengths = strengths_of(particles);
        sums_ = std::make_unique<Sums>(
            Sums{{comm, spread_onto_points(cube(), particles[fields::position], strengths), &sum_of_points},
                 {comm, {weight_of(strengths, particles), static_cast<double>(particles.size())}, &sum_of_totals}});
        return sums_->totals.under_way();
    }

    ReferenceForces finish_sums() override {
        field_.fill(0);
        table_->add(1, sums_->strengths.finish(), field_);
        const auto [strength, count] = sums_->totals.finish();
        sums_ = nullptr;
        return forces_in(cube().side, strength, count);
    }

    // Makes the lattice of such a cube, unless it is there; the table of another lattice goes.
    void take_lattice(double side, const std::array<bool, 3>& periodic) {
        if (lattice_ && lattice_->side() == side && lattice_->periodic() == periodic) return;
        table_.reset();
        const auto potential = [&](double r2) {
            return interaction_.kernels.field_of_source(interaction_.parameters.get(), r2);
        };
        lattice_ = std::make_unique<PotentialLattice>(potential, side, periodic, accuracy_);
    }

    void take_table() {
        if (table_) return;
        const std::vector<Vec3<double>> displacements = PointTable::displacements();
        std::vector<double> values(displacements.size());
        parallel_for(values.size(),
                     [&](std::size_t k) { values[k] = lattice_->at(cube().side * displacements[k]).value; });
        table_ = std::make_unique<PointTable>(values);
    }

    ReferenceForces forces_in(double side, double strength, double count) const override {
        if (!(count > 0)) return {0, 0};
        const double whole = strength / (side * side);
        if (!interaction_.kernels.shows_coupling) return {whole / std::cbrt(count), whole};
        return {whole * largest_coupling(interaction_, side / 4, count) / std::cbrt(count),
                whole * mean_coupling(side)};
    }

    // The field of a source of strength 1 times the square of the distance, on average over distances up to the side: a
    // potential that is screened has less matter within reach.
    double mean_coupling(double side) const {
        constexpr int distances = 64;
        double sum = 0;
        for (int k = 0; k < distances; ++k) {
            const double r = side * (k + 0.5) / distances;
            const auto [value, slope] = interaction_.kernels.field_of_source(interaction_.parameters.get(), r * r);
            sum += std::abs(slope) * r * r * r;
        }
        return sum / distances;
    }

    // The sum of absolute strengths; with a shown coupling times the response of each, so that forces are
    // accelerations.
    double weight_of(std::span<const double> strengths, const ParticleSet& particles) const {
        std::vector<double> responses(strengths.size(), 1);
        if (interaction_.kernels.shows_coupling) responses = responses_of_rows(interaction_, particles);
        double sum = 0;
        for (std::size_t row = 0; row < strengths.size(); ++row) sum += std::abs(strengths[row]) * responses[row];
        return sum;
    }

    std::vector<double> strengths_of(const ParticleSet& particles) const {
        std::size_t component = interaction_.kernels.strength, field = 0;
        const std::vector<FieldInfo>& fields = interaction_.kernels.fields;
        for (; component >= fields[field].components; ++field) component -= fields[field].components;
        const double* values = particles.column(fields[field].name).values();
        std::vector<double> strengths(particles.size());
        for (std::size_t row = 0; row < strengths.size(); ++row)
            strengths[row] = values[row * fields[field].components + component];
        return strengths;
    }

    void results_of_field(const ParticleSet& particles, std::size_t first, std::span<const double> phi,
                          std::span<const Vec3<double>> gradients, double* values) const {
        interaction_.kernels.results_of_field(interaction_.parameters.get(), particles, first, phi, gradients, values);
    }

    PotentialLattice::Value far_field(const ParticleSet& sources, const Vec3<double>& target) const {
        const std::vector<double> strengths = strengths_of(sources);
        const auto positions = sources[fields::position];
        PotentialLattice::Value sum{0, {0, 0, 0}};
        for (std::size_t j = 0; j < strengths.size(); ++j) {
            const PotentialLattice::Value one = lattice_->at(target - positions[j]);
            sum.value += strengths[j] * one.value;
            sum.gradient += strengths[j] * one.gradient;
        }
        return sum;
    }

    CompiledInteraction interaction_;
    double accuracy_;
    std::unique_ptr<PotentialLattice> lattice_;  // null: none so far
    std::unique_ptr<PointTable> table_;          // of this lattice; null: none so far
    std::unique_ptr<Sums> sums_;                 // null: they are known
    PointValues field_{};
};

}  // namespace

std::shared_ptr<PeriodicComplement> images_of_potential(const CompiledInteraction& interaction, double accuracy) {
    if (interaction.kernels.field_of_source == nullptr) return nullptr;
    return std::make_shared<PotentialImages>(interaction, accuracy);
}

}  // namespace trellis
