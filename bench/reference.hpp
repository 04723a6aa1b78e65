// What other codes need for one step of 2^20 particles on one core, and what of ours is as accurate and how fast.
#pragma once

#include <string>
#include <vector>

#include "peak.hpp"
#include "report.hpp"
#include "spread.hpp"

namespace bench {

struct Reference {
    const char* code;
    const char* model;
    double seconds;
    double rms_error;
    const char* against;  // beginning of the names of the settings that may be compared; "" for any
};

// Measured on a Zen 5 core; softening 1e-3. FDPS 7.1: monopoles, theta 0.5, the best of its kernels and group sizes.
inline constexpr Reference references[] = {
    {"PKDGRAV3", "sphere", 0.66, 3.2e-3, ""},        {"PKDGRAV3", "sphere", 0.97, 6.0e-4, ""},
    {"PKDGRAV3", "sphere", 1.17, 2.3e-4, ""},        {"PKDGRAV3", "sphere", 1.62, 9.8e-5, ""},
    {"PKDGRAV3", "plummer", 0.75, 2.8e-3, ""},       {"PKDGRAV3", "plummer", 0.96, 1.1e-3, ""},
    {"PKDGRAV3", "plummer", 1.32, 2.0e-4, ""},       {"PKDGRAV3", "plummer", 1.76, 1.1e-4, ""},
    {"FDPS 7.1", "sphere", 0.82, 5.2e-3, "tree 1"},  {"FDPS 7.1, lists kept", "sphere", 1.28, 5.2e-3, "tree 1"},
    {"FDPS 7.1", "plummer", 1.19, 7.6e-4, "tree 1"}, {"FDPS 7.1, lists kept", "plummer", 2.15, 7.6e-4, "tree 1"}};

struct Timing {
    std::string setting;
    std::string model;
    double seconds;
    double rms_error;
};

// The references' core did 235 Gflop/s in eight chains of multiply-adds, so this core is measured in the same way. (More chains
// show that eight leave it waiting now and then.)
inline double speed_of_this_core() {
    constexpr double reference_rate = 235e9;
    double best = 0;
    for (int sample = 0; sample < 200; ++sample) {
        double operations = 0;
        const double time = seconds([&] { operations = multiply_add_in_eight_chains(trellis::chosen_isa(), 16384); });
        best = std::max(best, operations / time);
    }
    return best / reference_rate;
}

// For each reference the fastest of the timings whose error is no larger.
inline void compare_with_references(const std::vector<Timing>& timings) {
    const double speed = speed_of_this_core();
    std::printf(
        "\nThe fastest setting at an error no larger than that of other codes. Their times are divided by %.3f, the "
        "speed of this core over that of theirs.\n",
        speed);
    const Table table({"other code", "model", "RMS", "s", "setting", "RMS here", "s here", "ratio"});
    for (const Reference& other : references) {
        const Timing* fastest = nullptr;
        for (const Timing& ours : timings)
            if (ours.model == other.model && ours.rms_error <= other.rms_error &&
                ours.setting.starts_with(other.against) && (fastest == nullptr || ours.seconds < fastest->seconds))
                fastest = &ours;
        if (fastest == nullptr) continue;
        const double theirs = other.seconds / speed;
        table.row({other.code, other.model, text("%.1e", other.rms_error), text("%.2f", theirs), fastest->setting,
                   text("%.1e", fastest->rms_error), text("%.3f", fastest->seconds),
                   text("%.2f", fastest->seconds / theirs)});
    }
}

}  // namespace bench
