// Two ranks with devices, of which one is lost and replaced by a spare.
#pragma once

#include <cstdint>
#include <memory>

#include "trellis/devices/remote/open.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis {

// The particles after some steps. The device of the second rank is lost after good_launches; below 0: none is.
// make(particles, devices, comm): a simulation.
template <class Make>
std::shared_ptr<ParticleSet> end_with_lost_device(const ParticleSet& start, std::uint64_t steps, int good_launches,
                                                  const Make& make) {
    const auto end = copy_of(start);
    make(end, Devices(), serial_comm())->ensure_forces();  // adds the columns
    run_ranks(2, [&](Comm& comm) {
        const bool faulty = comm.rank() == 1 && good_launches >= 0;
        const Devices devices =
            faulty ? Devices(std::make_shared<FaultyDevice>(Fault::lost, good_launches)) : Devices(open_device("cpu"));
        const auto sim = make(all_on_first(comm, start), devices, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
        sim->set_spares({"cpu"});
        sim->run_steps(steps);
        put_by_id(sim->particles(), *end);
    });
    return end;
}

}  // namespace trellis
