#include "trellis/integrate/barostats/scaled_box.hpp"

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

double volume(const Region& region) {
    const Vec3<double> sides = region.high - region.low;
    return sides.x * sides.y * sides.z;
}

}  // namespace

ScaledBox::ScaledBox(ParticleSet& particles, SavedColumns& saved, double factor)
    : particles_(particles), saved_(saved), before_(particles.region()) {
    saved.save(particles);
    particles.set_region({factor * before_.low, factor * before_.high});
    const auto x = particles[fields::position];
    parallel_for(x.size(), [&](std::size_t row) { x[row] *= factor; });
}

ScaledBox::~ScaledBox() {
    if (kept_) return;
    particles_.set_region(before_);
    saved_.restore(particles_);
}

double ScaledBox::volume_change() const { return volume(particles_.region()) - volume(before_); }

}  // namespace trellis
