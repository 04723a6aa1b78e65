#include "field_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "trellis/compile.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/serve/served_kernels.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

struct NamedField {
    const char* name;
    std::shared_ptr<const ExternalField> field;
};

std::vector<NamedField> all_fields() {
    const Vec3<double> centre{0.3, -0.2, 0.1};
    return {
        {"uniform", external_field(external::UniformField{{1, -2, 3}})},
        {"trap", external_field(external::HarmonicTrap{{1, 2, 0}, centre})},
        {"mean density", external_field(external::MeanDensity{2, centre, 3})},
        {"point mass", external_field(external::PointMass{2, centre, 3})},
        {"Plummer", external_field(external::Plummer{2, 0.5, centre, 3})},
        {"NFW", external_field(external::Nfw{2, 0.5, centre, 3})},
        {"logarithmic halo", external_field(external::LogarithmicHalo{2, 0.2, 0.8, centre})},
        {"Miyamoto and Nagai", external_field(external::MiyamotoNagai{2, 0.5, 0.1, centre, 3})},
        {"rotating bar", external_field(external::RotatingBar{2, 0.8, 0.1, 0.05, 1.5, 0.4, centre, 3})},
    };
}

// The largest difference of accelerations and potentials from those of the host, over the largest.
double difference(const std::shared_ptr<Device>& device, const ExternalField& field, const ParticleSet& particles,
                  double time) {
    const std::size_t size = particles.size();
    const auto queue = device->make_queue();
    const auto vectors = size * sizeof(Vec3<double>);
    const DeviceMemory at(device, vectors), accelerations(device, vectors), external(device, vectors),
        potentials(device, size * sizeof(double));
    std::vector<Vec3<double>> a(size), alone(size);  // zeros, to which the field adds
    std::vector<double> phi(size), wanted(4 * size);
    queue->upload(at, 0, std::as_bytes(std::span(particles[position])));
    queue->upload(accelerations, 0, std::as_bytes(std::span(a)));
    field.launch(*queue, time, true, size, at, accelerations, external, potentials);
    queue->download(accelerations, 0, std::as_writable_bytes(std::span(a)));
    queue->download(external, 0, std::as_writable_bytes(std::span(alone)));
    queue->download(potentials, 0, std::as_writable_bytes(std::span(phi)));
    field.evaluate({particles, 0, size, time}, wanted.data());
    queue->wait();
    double apart = 0, largest = 1e-300;
    const auto compare = [&](double found, double here) {
        apart = std::abs(found - here) <= apart ? apart : std::abs(found - here);  // NaN stays
        largest = std::max(largest, std::abs(here));
    };
    for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
            compare(a[k][c], wanted[4 * k + c]);
            compare(alone[k][c], wanted[4 * k + c]);
        }
        compare(phi[k], wanted[4 * k + 3]);
    }
    return apart / largest;
}

}  // namespace

void check_fields(Checks& checks, const std::shared_ptr<Device>& device) {
    provide_kernels();
    ParticleSet particles(1001);
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    for (auto& x : particles[position]) x = {gauss(random), gauss(random), gauss(random)};
    for (const auto& [name, field] : all_fields()) {
        const double apart = difference(device, *field, particles, 1.25);
        checks.that(apart <= 1e-12, std::string("external field, ") + name,
                    "largest difference from the host " + std::to_string(1e15 * apart) + "e-15");
    }
}
