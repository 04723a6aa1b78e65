// Libraries of kernels that a server loads when it starts.
#pragma once

#include <filesystem>

namespace trellis {

// Registers the kernels of a library with a user's own interactions (own_kernels.hpp) until the process ends. Throws
// InputError if it cannot be loaded, provides no kernels, or was built against another version of Trellis.
void load_kernels(const std::filesystem::path& library);

}  // namespace trellis
