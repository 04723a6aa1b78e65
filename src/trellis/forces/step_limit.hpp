// Limits of time steps: forces without results, and such a one by a function of the particles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"

namespace trellis {

// Limits steps by allowed_steps, and adds nothing.
class ForceWithoutResults : public Force {
  public:
    void attach(ParticleSet& /*particles*/, std::size_t /*number*/) override {}
    void dispatch(ParticleSet& /*particles*/, const ForceStep& /*step*/, Phases& /*phases*/) override {}
    Work retrieve(ParticleSet& /*particles*/, Phases& /*phases*/) override { return {}; }
    bool may_fail_after_writing() const override { return false; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override { return {}; }
    std::span<const FieldInfo> results() const override { return {}; }
    void reference(const ParticleSet& /*sources*/, const ParticleSet& /*targets*/, std::uint32_t /*row*/,
                   std::int64_t /*self*/, double /*time*/, double* /*values*/) const override {}
};

class StepLimit final : public ForceWithoutResults {
  public:
    // Returns the longest step of each active row, above 0 or infinite, that begins at `time`. Results of forces are
    // those of this time, and so are velocities, with individual steps up to the kicks by slower particles.
    using Function = std::function<std::vector<double>(const ParticleSet&, double time, const ActiveRows&)>;

    // name: the subject of messages about what the function returns.
    StepLimit(Function function, std::string name) : function_(std::move(function)), name_(std::move(name)) {}

    // Throws InputError for a number of steps that is not that of the active rows, or a step that is not above 0.
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override;

  private:
    Function function_;
    std::string name_;
};

}  // namespace trellis
