// Individual time steps in Python.
#include "individual_steps.hpp"

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "parameter_access.hpp"

namespace nb = nanobind;

namespace {

using Settings = IndividualStepsSettings;

constexpr Names<StepCriterion, 3> criteria{{{"acceleration", StepCriterion::acceleration},
                                            {"encounters", StepCriterion::encounters},
                                            {"tidal", StepCriterion::tidal}}};

constexpr Parameter<Settings> parameters[] = {
    {.name = "longest",
     .value = member<Settings, &Settings::longest>,
     .meaning = "longest step, which all particles begin and end together; in ln a where space expands, and in a box"
                " there shorter where that takes less work",
     .unit = "time",
     .limits = {.above = 0},
     .required = true},
    {.name = "eta",
     .value = member<Settings, &Settings::eta>,
     .meaning = "accuracy of the steps of particles: sqrt(2 eta softening / |a|) under gravity, as Gadget's"
                " ErrTolIntAccuracy; other limits of forces, but those of a gas, count times sqrt(eta / 0.025)",
     .limits = {.above = 0, .at_most = 10},
     .source = "Springel 2005, equation 34"},
    {.name = "criterion",
     .value = choice<Settings, criteria, &Settings::criterion>,
     .meaning = "by what gravity limits steps: acceleration, with the softening; encounters, the same and pairs that"
                " come near each other, sqrt(2 eta) of their free fall and fly-by, for softenings below the distance of"
                " particles; or tidal, sqrt(2 eta sqrt(6) / |T|) by the tidal field T, also without a softening",
     .source = "Rantala et al. 2021; Grudic & Hopkins 2020"},
    {.name = "order",
     .value = member<Settings, &Settings::order>,
     .meaning =
         "order of the steps in their length: 2; or 4, for gravity and other sums over pairs in open space, three"
         " times the forces of a step, for star clusters and planets without close binaries",
     .source = "Chin & Chen 2005; Rantala et al. 2021"},
};

}  // namespace

void bind_individual_steps(nb::module_& core) {
    bind_settings<Settings>(
        core, "IndividualSteps",
        "Time steps of each particle's own: the longest one over 2^r, where r is its rung, from 0 to 24.\n\n"
        "Particles of rungs of r and more act on each other in steps of that length, and on all others in longer ones "
        "(Pelupessy\net al. 2012; Springel et al. 2021, section 4): momentum is conserved as with one step for all. A "
        "step of a `Simulation`\nis the longest one.",
        parameters);
}
