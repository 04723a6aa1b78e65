// What a server can compute: the kernels of all interactions that belong to Trellis.
#pragma once

namespace trellis {

// Makes them known on this machine, for the processor and for GPUs. A program that evaluates a force does so itself;
// a server has no forces.
void provide_kernels();

}  // namespace trellis
