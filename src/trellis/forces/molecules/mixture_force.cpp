// The force of a Mixture: its tables, and the kinds of atoms.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/molecules/lennard_jones_mixture.hpp"
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"
#include "trellis/forces/molecules/mixture_kernel.hpp"

namespace trellis {

namespace {

// The interaction with the memory of its tables.
template <Truncation truncation>
struct MixtureTables {
    using Interaction = LennardJonesMixture<truncation>;
    static constexpr std::size_t components = Interaction::OfKinds::components;

    explicit MixtureTables(const Mixture& mixture) {
        const std::vector<PairParameters> pairs = parameters_of_pairs(mixture);
        const auto count = static_cast<std::uint32_t>(mixture.kinds.size());
        double cutoff = 0, epsilon = 0;
        for (const PairParameters& pair : pairs) {
            cutoff = std::max(cutoff, pair.cutoff);
            epsilon = std::max(epsilon, pair.epsilon);
        }
        if (epsilon == 0) epsilon = 1;
        const std::size_t values = kind_values(count, components);
        space.start(Workspace::bytes_of<double>(values) + Workspace::bytes_of<float>(values));
        double* exact = space.take<double>(values);
        std::fill_n(exact, values, 0.0);
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t i = 0; i < count; ++i) {
                const PairParameters& pair = pairs[j * count + i];
                const double sigma2 = pair.sigma * pair.sigma;
                const TruncationLine line = truncation_line(truncation, sigma2, pair.cutoff, mixture.switch_ratio);
                const double depth = pair.epsilon / epsilon, of_line = truncation == Truncation::switched ? 1 : depth;
                const std::array all{sigma2, depth, of_line * line.constant, of_line * line.slope};
                for (std::size_t c = 0; c < components; ++c)
                    exact[(j * components + c) * kind_stride(count) + i] = all[c];
            }
        float* single = space.take<float>(values);
        std::transform(exact, exact + values, single, [](double value) { return static_cast<float>(value); });
        const double cutoff2 = mixture.cutoff * mixture.cutoff;
        interaction = {cutoff,
                       epsilon,
                       {mixture.cutoff_in_sigma ? cutoff2 : 0},
                       {mixture.cutoff_in_sigma ? 0 : cutoff2},
                       {count, single, exact}};
    }
    MixtureTables(const MixtureTables&) = delete;
    MixtureTables& operator=(const MixtureTables&) = delete;

    Workspace space;
    Interaction interaction{};
};

class MixtureForce final : public ShortRangeForce {
  public:
    template <Truncation truncation>
    MixtureForce(std::vector<AtomKind> kinds, const std::shared_ptr<const MixtureTables<truncation>>& tables,
                 const ShortRangeSettings& settings)
        : ShortRangeForce(TRELLIS_VARIANT(mixture_kernels)(truncation),
                          std::shared_ptr<const void>(tables, &tables->interaction), tables->interaction.cutoff,
                          settings),
          kinds_(std::move(kinds)) {}

    void add_columns(ParticleSet& particles) const override {
        if (!particles.has(ParticleKind::name)) {
            if (particles.has(ParticleType::name))
                set_kinds_by_type(particles);
            else if (particles.size() > 0)
                throw InputError("the particles have no kinds: allowed are a field `kind`, with " + allowed_kinds());
        }
        ShortRangeForce::add_columns(particles);
    }

    void check_values(const ParticleSet& particles) const override {
        check_kinds(particles, ParticleKind::name, kinds_.size() - 1, allowed_kinds());
    }

  private:
    // Such as "numbers 0 (argon) to 1 (krypton)".
    std::string allowed_kinds() const {
        const std::size_t last = kinds_.size() - 1;
        return "numbers 0 (" + kinds_[0].name + ") to " + std::to_string(last) + " (" + kinds_[last].name + ")";
    }

    void set_kinds_by_type(ParticleSet& particles) const {
        std::vector<std::size_t> kind_of_type;
        kind_of_type.reserve(particle_types.size());
        for (const char* type : particle_types)
            kind_of_type.push_back(
                static_cast<std::size_t>(std::ranges::find(kinds_, type, &AtomKind::name) - kinds_.begin()));
        const auto types = std::as_const(particles)[fields::particle_type];
        std::vector<double> of_each;
        for (const double type : types) {
            const bool known = type >= 0 && type < static_cast<double>(particle_types.size());
            const std::size_t found = known ? kind_of_type[static_cast<std::size_t>(type)] : kinds_.size();
            if (found == kinds_.size())
                throw InputError("the particles have no field `kind`, and kinds does not have their type " +
                                 (known ? particle_types[static_cast<std::size_t>(type)] : to_text(type)) +
                                 ": allowed are kinds with the names of types, or a field `kind`, with " +
                                 allowed_kinds());
            of_each.push_back(static_cast<double>(found));
        }
        std::ranges::copy(of_each, particles.add(fields::particle_kind).begin());
    }

    std::vector<AtomKind> kinds_;
};

template <Truncation truncation>
std::unique_ptr<ShortRangeForce> mixture_force(const Mixture& mixture, const ShortRangeSettings& settings) {
    return std::make_unique<MixtureForce>(mixture.kinds, std::make_shared<const MixtureTables<truncation>>(mixture),
                                          settings);
}

}  // namespace

double lennard_jones_skin_ratio(const Mixture& mixture) {
    double sigma = 0, cutoff = 0;
    for (const PairParameters& pair : parameters_of_pairs(mixture)) {
        sigma = std::max(sigma, pair.sigma);
        cutoff = std::max(cutoff, pair.cutoff);
    }
    return lennard_jones_skin_ratio(sigma, cutoff);
}

std::unique_ptr<ShortRangeForce> lennard_jones(const Mixture& mixture, const ShortRangeSettings& given) {
    check_switch_ratio(mixture.switch_ratio);
    TRELLIS_CALL_FOR_GPUS(register_lennard_jones_neighbours());
    ShortRangeSettings settings = given;
    if (!settings.skin_ratio) settings.skin_ratio = lennard_jones_skin_ratio(mixture);
    switch (mixture.truncation) {
        case Truncation::energy_shifted:
            return mixture_force<Truncation::energy_shifted>(mixture, settings);
        case Truncation::force_shifted:
            return mixture_force<Truncation::force_shifted>(mixture, settings);
        case Truncation::switched:
            return mixture_force<Truncation::switched>(mixture, settings);
        case Truncation::plain:
            break;
    }
    return mixture_force<Truncation::plain>(mixture, settings);
}

}  // namespace trellis
