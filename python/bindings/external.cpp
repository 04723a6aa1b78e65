// The built-in external fields in Python.
#include "external.hpp"

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "parameter_access.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/external/compiled_field.hpp"

namespace nb = nanobind;
namespace external = trellis::external;
using Vector = trellis::Vec3<double>;

namespace {

template <class Formula>
struct BuiltIn final : ExternalSettings {
    std::shared_ptr<const trellis::ExternalField> field() const override { return trellis::external_field(formula); }

    Formula formula{};
};

// A vector, which Python has as three numbers.
template <class Settings, auto... path>
bool set_vector(Settings& settings, const char* name, nb::handle value) {
    std::vector<double> numbers;
    if (!nb::try_cast(value, numbers)) return false;
    if (numbers.size() != 3)
        throw trellis::InputError(std::string(name) + " is " + nb::repr(value).c_str() + ": allowed is three numbers");
    at<path...>(settings) = {numbers[0], numbers[1], numbers[2]};
    return true;
}

template <class Settings, auto... path>
nb::object get_vector(const Settings& settings) {
    const Vector& v = at<path...>(settings);
    return nb::cast(std::vector{v.x, v.y, v.z});
}

template <class Formula, auto part>
constexpr Access<BuiltIn<Formula>> vector_of{.type = &PythonType<std::vector<double>>::name,
                                             .set = &set_vector<BuiltIn<Formula>, &BuiltIn<Formula>::formula, part>,
                                             .get = &get_vector<BuiltIn<Formula>, &BuiltIn<Formula>::formula, part>,
                                             .highest = highest<double>};

template <class Formula, auto part>
constexpr Access<BuiltIn<Formula>> number_of = member<BuiltIn<Formula>, &BuiltIn<Formula>::formula, part>;

// Parameters that several fields have.
template <class Formula>
constexpr Parameter<BuiltIn<Formula>> mass{.name = "mass",
                                           .value = number_of<Formula, &Formula::mass>,
                                           .meaning = "mass M of all of it",
                                           .unit = "mass",
                                           .limits = {.above = 0},
                                           .required = true};
template <class Formula>
constexpr Parameter<BuiltIn<Formula>> centre{.name = "centre",
                                             .value = vector_of<Formula, &Formula::centre>,
                                             .meaning = "where its centre is, three numbers",
                                             .unit = "length"};
template <class Formula>
constexpr Parameter<BuiltIn<Formula>> constant{.name = "G",
                                               .value = number_of<Formula, &Formula::G>,
                                               .meaning = "gravitational constant",
                                               .unit = "length^3 / (mass time^2)",
                                               .limits = {.above = 0}};

// A number above 0 that must be given, or one that may be 0.
template <class Formula, auto part>
constexpr Parameter<BuiltIn<Formula>> above_zero(const char* name, const char* meaning, const char* unit) {
    return {.name = name,
            .value = number_of<Formula, part>,
            .meaning = meaning,
            .unit = unit,
            .limits = {.above = 0},
            .required = true};
}

using external::HarmonicTrap, external::LogarithmicHalo, external::MeanDensity, external::MiyamotoNagai, external::Nfw,
    external::Plummer, external::PointMass, external::RotatingBar, external::UniformField;

constexpr Parameter<BuiltIn<UniformField>> of_uniform_field[] = {
    {.name = "acceleration",
     .value = vector_of<UniformField, &UniformField::acceleration>,
     .meaning = "acceleration g of every particle, three numbers",
     .unit = "length / time^2",
     .required = true}};

constexpr Parameter<BuiltIn<HarmonicTrap>> of_harmonic_trap[] = {
    {.name = "frequency",
     .value = vector_of<HarmonicTrap, &HarmonicTrap::frequency>,
     .meaning = "angular frequency omega along each axis, three numbers of 0 or more; 0: no force along it",
     .unit = "radians / time",
     .required = true},
    centre<HarmonicTrap>};

constexpr Parameter<BuiltIn<MeanDensity>> of_mean_density[] = {
    above_zero<MeanDensity, &MeanDensity::density>("density", "comoving mean density of matter", "mass / length^3"),
    centre<MeanDensity>, constant<MeanDensity>};

constexpr Parameter<BuiltIn<PointMass>> of_point_mass[] = {mass<PointMass>, centre<PointMass>, constant<PointMass>};

constexpr Parameter<BuiltIn<Plummer>> of_plummer[] = {
    mass<Plummer>, above_zero<Plummer, &Plummer::scale_radius>("scale_radius", "scale radius b", "length"),
    centre<Plummer>, constant<Plummer>};

constexpr Parameter<BuiltIn<Nfw>> of_nfw[] = {
    {.name = "mass",
     .value = number_of<Nfw, &Nfw::mass>,
     .meaning = "M = 4 pi rho_s r_s^3, of which ln(1 + c) - c / (1 + c) lies within c scale radii",
     .unit = "mass",
     .limits = {.above = 0},
     .required = true},
    above_zero<Nfw, &Nfw::scale_radius>("scale_radius", "scale radius r_s", "length"),
    centre<Nfw>,
    constant<Nfw>};

constexpr Parameter<BuiltIn<LogarithmicHalo>> of_logarithmic_halo[] = {
    above_zero<LogarithmicHalo, &LogarithmicHalo::speed>("speed", "circular speed v far out in the plane",
                                                         "length / time"),
    above_zero<LogarithmicHalo, &LogarithmicHalo::core_radius>("core_radius", "core radius r_c", "length"),
    {.name = "flattening",
     .value = number_of<LogarithmicHalo, &LogarithmicHalo::flattening>,
     .meaning = "axis ratio q of the equipotential surfaces along z; below 0.707 the density is negative somewhere",
     .limits = {.above = 0}},
    centre<LogarithmicHalo>};

constexpr Parameter<BuiltIn<MiyamotoNagai>> of_miyamoto_nagai[] = {
    mass<MiyamotoNagai>,
    {.name = "scale_length",
     .value = number_of<MiyamotoNagai, &MiyamotoNagai::scale_length>,
     .meaning = "scale length a; 0: Plummer's sphere",
     .unit = "length",
     .limits = {.at_least = 0},
     .required = true},
    above_zero<MiyamotoNagai, &MiyamotoNagai::scale_height>("scale_height", "scale height b", "length"),
    centre<MiyamotoNagai>,
    constant<MiyamotoNagai>};

constexpr Parameter<BuiltIn<RotatingBar>> of_rotating_bar[] = {
    mass<RotatingBar>,
    above_zero<RotatingBar, &RotatingBar::half_length>("half_length", "half the length of the bar, a", "length"),
    above_zero<RotatingBar, &RotatingBar::thickness>("thickness", "softening c in height", "length"),
    {.name = "width",
     .value = number_of<RotatingBar, &RotatingBar::width>,
     .meaning = "softening b across",
     .unit = "length",
     .limits = {.at_least = 0}},
    {.name = "pattern_speed",
     .value = number_of<RotatingBar, &RotatingBar::pattern_speed>,
     .meaning = "angular speed Omega about z, above 0 from x to y",
     .unit = "radians / time",
     .required = true},
    {.name = "angle",
     .value = number_of<RotatingBar, &RotatingBar::angle>,
     .meaning = "angle from the x axis at time 0",
     .unit = "radians"},
    centre<RotatingBar>,
    constant<RotatingBar>};

}  // namespace

void bind_external(nb::module_& core) {
    nb::class_<ExternalSettings, AnyForce>(core, "ExternalField", "A field in which particles move, by its settings.");
    const auto bind = [&]<class Formula, std::size_t count>(const char* name, const char* text,
                                                            const Parameter<BuiltIn<Formula>>(&table)[count]) {
        bind_settings<BuiltIn<Formula>, ExternalSettings>(core, name, text,
                                                          std::span<const Parameter<BuiltIn<Formula>>>(table));
    };
    bind("PointMass", "A point mass.\n\nphi = -G M / r.", of_point_mass);
    bind("UniformField", "The same acceleration everywhere.\n\nphi = -g . x.", of_uniform_field);
    bind("HarmonicTrap", "Springs along the axes.\n\nphi = sum of omega^2 d^2 / 2 over the axes.", of_harmonic_trap);
    bind("MeanDensity",
         "The mean density of expanding, open space, which is taken away from comoving coordinates.\n\n"
         "phi = -2 pi / 3 G density d^2. A simulation with a cosmology adds it to gravity in open space.",
         of_mean_density);
    bind("Plummer", "Plummer's sphere (Plummer 1911).\n\nphi = -G M / sqrt(r^2 + b^2).", of_plummer);
    bind("NFW",
         "The halo of Navarro, Frenk & White (1996).\n\n"
         "phi = -G M ln(1 + r / r_s) / r.",
         of_nfw);
    bind("LogarithmicHalo",
         "A halo with a flat rotation curve (Binney & Tremaine 2008, equation 2.71a).\n\n"
         "phi = v^2 / 2 ln(1 + (x^2 + y^2 + z^2 / q^2) / r_c^2), which is 0 at the centre.",
         of_logarithmic_halo);
    bind("MiyamotoNagai",
         "The disc of Miyamoto & Nagai (1975).\n\n"
         "phi = -G M / sqrt(x^2 + y^2 + (a + sqrt(z^2 + b^2))^2).",
         of_miyamoto_nagai);
    bind("RotatingBar",
         "A bar that turns about z: a homogeneous needle, softened (Long & Murali 1992).\n\n"
         "phi = -G M / 2a ln((S + 2a) / (S - 2a)), where S is the sum of sqrt((a + x)^2 + w^2) and\n"
         "sqrt((a - x)^2 + w^2), w^2 = y^2 + (b + sqrt(z^2 + c^2))^2, and x is along the bar. A particle keeps\n"
         "E - Omega L_z, Jacobi's integral, and not its energy E.",
         of_rotating_bar);
}
