// Checks that print their results and count failures.
#pragma once

#include <cstdio>
#include <string>

#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/devices/device_kind.hpp"

// A GPU of which this machine has the compiler.
inline bool compiles_texts(const trellis::Device& device) {
    return trellis::names_gpu(device.name()) && (!device.name().starts_with("cuda:") || trellis::has_cuda_compiler());
}

class Checks {
  public:
    // Prints and counts one check. detail: the values found.
    void that(bool holds, const std::string& what, const std::string& detail = "") {
        std::printf("%-6s  %s%s%s\n", holds ? "ok" : "FAILED", what.c_str(), detail.empty() ? "" : ": ",
                    detail.c_str());
        if (!holds) ++failures_;
    }

    int failures() const { return failures_; }

  private:
    int failures_ = 0;
};
