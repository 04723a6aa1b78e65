#include "trellis/ensembles/staged/set_kernels.hpp"

#include <cstdio>
#include <functional>
#include <string_view>

namespace trellis {

std::string register_set_kernel(const std::string& over, const GraphKernel& kernel) {
    const std::vector<std::byte>& graph = kernel.text->graph;
    const std::string_view content(reinterpret_cast<const char*>(graph.data()), graph.size());
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016zx", std::hash<std::string_view>()(content));
    std::string name = over + " " + digits;
    register_kernel_text(name, kernel.text);
    return name;
}

}  // namespace trellis
