// The kernels that a server offers: those of all interactions that belong to Trellis.
#pragma once

namespace trellis {

// Registers them on this machine, for the processor and for GPUs. A program that evaluates a force registers its
// kernels itself; a server has no forces.
void provide_kernels();

}  // namespace trellis
