#include "trellis/integrate/comoving/expansion_work.hpp"

namespace trellis {

void ExpansionWork::end_step(Comm& comm, const StepLength& step, double kinetic) {
    kinetic_.end = kinetic;
    add_last_step();
    last_step_ = step;
    if (kinetic_of_all_.post(comm, kinetic_)) add_last_step();
}

double ExpansionWork::value() {
    add_last_step();
    return work_;
}

void ExpansionWork::add_last_step() {
    if (!kinetic_of_all_.pending()) return;
    const Kinetic all = kinetic_of_all_.collect();
    const double end = last_step_.end, begin = end - last_step_.length;
    work_ += 0.5 * last_step_.length * (all.begin / (begin * begin) + all.end / (end * end));
}

}  // namespace trellis
