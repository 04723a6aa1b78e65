// The kernels of Yukawa for a server: gpubox$ trellis serve --kernels libyukawa_kernels.so
#include <trellis/serve/own_kernels.hpp>

#include "yukawa.hpp"

TRELLIS_PROVIDE_KERNELS(Yukawa)
