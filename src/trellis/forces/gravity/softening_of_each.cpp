#include "trellis/forces/gravity/softening_of_each.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/forces/checks.hpp"

namespace trellis {

using namespace fields;

void check_softening(double softening, const std::string& whose) {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening" + whose + " is " + to_text(softening) + ": allowed is 0 or more");
}

SofteningField::SofteningField(const SofteningOfEach& softening)
    : by_type_(!softening.by_type.empty()), max_physical_(softening.max_physical) {
    if (limited() && !by_type_)
        throw InputError("softening_max_physical is " + to_text(max_physical_) +
                         ", but softening is that of each particle: allowed is one length, or lengths by type");
    of_types_.fill(std::numeric_limits<double>::quiet_NaN());
    for (const auto& [type, length] : softening.by_type) {
        const auto found = std::ranges::find(particle_types, type);
        if (found == particle_types.end())
            throw InputError("softening has '" + type + "': the types are gas, halo, disk, bulge, stars and boundary");
        check_softening(length, " of " + type);
        of_types_[static_cast<std::size_t>(found - particle_types.begin())] = length;
    }
}

void SofteningField::attach(ParticleSet& particles) const {
    if (by_type_) {
        if (!particles.has(SofteningLength::name)) particles.add(fields::softening);
        set_by_type(particles, 0);
    } else if (!particles.has(SofteningLength::name)) {
        throw InputError("gravity has the softening of each particle, but the particles have no field 'softening'");
    }
}

void SofteningField::renew(ParticleSet& particles, double a) const {
    if (by_type_) set_by_type(particles, a);
    check_not_negative(particles, SofteningLength::name);
}

void SofteningField::set_by_type(ParticleSet& particles, double a) const {
    if (!particles.has(ParticleType::name))
        throw InputError("gravity has a softening by type, but the particles have no field 'type'");
    const auto types = particles[particle_type];
    const auto e = particles[softening];
    for (std::size_t row = 0; row < e.size(); ++row) {
        const double type = types[row];
        const bool known = type >= 0 && type < static_cast<double>(of_types_.size()) && type == std::floor(type);
        if (!known || std::isnan(of_types_[static_cast<std::size_t>(type)]))
            throw InputError("the particle at index " + std::to_string(row) + " is of type " + to_text(type) +
                             (known ? std::string(" (") + particle_types[static_cast<std::size_t>(type)] + ")" : "") +
                             ", for which gravity has no softening");
        e[row] = at(a, of_types_[static_cast<std::size_t>(type)]);
    }
}

}  // namespace trellis
