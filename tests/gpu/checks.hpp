// Checks that print their results and count failures.
#pragma once

#include <cstdio>
#include <string>

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
