// Libraries of kernels that a server loads when it starts.
#pragma once

#include <filesystem>

namespace trellis {

// Makes the kernels of a library with interactions of a user's own (own_kernels.hpp) known here, until the process
// ends. Throws InputError, with a sentence, if it cannot be loaded, provides no kernels, or was built against another
// version of Trellis.
void load_kernels(const std::filesystem::path& library);

}  // namespace trellis
