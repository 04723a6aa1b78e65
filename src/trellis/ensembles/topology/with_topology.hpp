// Systems with bonds, angles, dihedrals and excluded pairs beside a pair interaction: on the processor of this process,
// whose memory the kernel is given. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/ensembles/kernels/make_system_kernels.hpp"
#include "trellis/ensembles/topology/scaled_pairs.hpp"
#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "trellis/forces/bonded/system_tuples.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
struct WithTopology {
    I pair;
    const Topology* topology;
};

template <class I>
double range_of(const WithTopology<I>& interaction) {
    return range_of(interaction.pair);
}

template <class I>
class TilePairs<WithTopology<I>> {
  public:
    TilePairs(const WithTopology<I>& interaction, const System& system, const SystemColumns& columns,
              const std::uint32_t* columns_of, Workspace& workspace)
        : system_(system),
          columns_(columns),
          excluded_(interaction.topology->excluded_rows(std::span(columns.ids, columns.count))),
          pairs_(interaction.pair, system, columns, columns_of, workspace, excluded_),
          scaled_(interaction.pair, system, columns, columns_of,
                  interaction.topology->scaled_rows(std::span(columns.ids, columns.count)),
                  interaction.topology->factors()),
          tuples_(interaction.topology->potentials, std::span(columns.ids, columns.count)) {}

    // Writes the accelerations, and returns the potential energy.
    double run() {
        using namespace system_columns;
        double of_pairs = pairs_.run();
        of_pairs += scaled_.add_forces();
        return of_pairs + tuples_.add_forces(columns_[position], columns_[mass], columns_[acceleration],
                                             columns_.stride, system_.box);
    }

    void box_has_changed() { pairs_.box_has_changed(); }

  private:
    const System& system_;
    const SystemColumns columns_;
    const std::vector<std::uint32_t> excluded_;
    TilePairs<I> pairs_;
    ScaledPairs<I> scaled_;
    SystemTuples tuples_;
};

// The kernels of an interaction, with that of systems that have a topology as well.
template <class I>
SystemKernels with_topology(SystemKernels kernels) {
    static_assert(offsetof(WithTopology<I>, topology) == offset_of_topology(sizeof(I)));
    kernels.with_topology = advance_systems<WithTopology<I>>;
    return kernels;
}

TRELLIS_ISA_END
}  // namespace trellis
