// A force over given tuples: bonds, angles, dihedrals.
//
// The energy of a tuple is that of its members together: each has the same share of it in its potential (which counts
// half in the total, as that of a pair does), and of the tuple's virial.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/bonded/topology.hpp"
#include "trellis/forces/bonded/tuple_block.hpp"
#include "trellis/forces/bonded/tuple_function.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/lists/tuples/local_tuples.hpp"

namespace trellis {

class BondedForce : public Force {
  public:
    // The members of a tuple act across the faces of a periodic box by their nearest images: no step from one to the
    // next may be longer than half a side.
    explicit BondedForce(TuplePotential potential)
        : function_(std::move(potential.function)), tuples_(std::move(potential.tuples)) {}

    void attach(ParticleSet& particles, std::size_t number) override;
    // Throws InputError, too, for an id that no particle has, and for a mass of a member that is not above 0.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    // Throws InputError if energy or derivatives of a tuple are not finite.
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return false; }
    // As a sum over tuples it is one among the particles of each level of individual steps.
    bool sums_over_pairs() const override { return true; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return 1; }
    std::vector<std::string> reads() const override;
    std::span<const FieldInfo> results() const override;
    void prepare_reference(const ParticleSet& particles, double time, Comm& comm) override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

  private:
    void check_masses(const ParticleSet& particles) const;
    // Computes the parts of a block of tuples; false: energies or derivatives are not finite.
    bool evaluate_block(std::size_t number, const Members& members, const NearestImage& nearest);
    template <std::size_t members>
    void add_parts(ParticleSet& particles) const;
    // Names the first tuple of a block whose energy or derivatives are not finite.
    [[noreturn]] void throw_not_finite(std::size_t block) const;
    std::uint32_t slot_of(std::uint32_t number, const ParticleSet& sources) const;

    std::size_t part_size() const { return TupleBlock::parts_of(tuples_.list().each()); }

    std::shared_ptr<const TupleFunction> function_;
    LocalTuples tuples_;
    std::unique_ptr<Exchange> arriving_;  // of imported members, between dispatch and retrieve
    std::vector<double> imported_;        // see ImportedMembers::finish
    std::vector<double> parts_;
};

}  // namespace trellis
