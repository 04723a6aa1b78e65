// A complement whose sources act together, by their sums over all ranks: the order of its calls.
#pragma once

#include <memory>
#include <string_view>

#include "trellis/forces/tree/periodic/periodic_cube.hpp"
#include "trellis/forces/tree/periodic_complement.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class CubeComplement : public PeriodicComplement {
  public:
    void gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) final;
    ReferenceForces forces(Phases& phases) final;
    ReferenceForces forces_of(const Region& region, double strength, double count) const final {
        return forces_in(period_of(region), strength, count);
    }

  protected:
    // force: its name in messages.
    explicit CubeComplement(std::string_view force) : force_(force) {}

    // Begins the sums of the sources. True if they are under way between sites, false if they are known.
    virtual bool begin_sums(const ParticleSet& particles, Comm& comm) = 0;
    // Waits for the sums, with which the sources act from then on, and returns the reference forces.
    virtual ReferenceForces finish_sums() = 0;
    // See forces_of. side: the period.
    virtual ReferenceForces forces_in(double side, double strength, double count) const = 0;

    const PeriodicCube& cube() const { return cube_; }  // at the last gather

  private:
    void act();

    std::string_view force_;
    std::shared_ptr<Comm> alone_ = serial_comm();
    PeriodicCube cube_;
    bool summing_ = false;
    ReferenceForces forces_{};
};

}  // namespace trellis
