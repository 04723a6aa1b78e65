// Parts of a step by which it is counted what goes between sites.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace trellis {

class Comm;

enum class TrafficClass {
    samples,    // where particles are, by which space is cut
    densities,  // of a mesh, and its field
    roots,      // of trees: each rank's particles as one
    trees,      // essential trees, and ghosts of short-range forces
    migration,  // particles that go to another rank
    other,      // sums, logs, files, what a user asks
    count
};

constexpr std::array<std::string_view, static_cast<std::size_t>(TrafficClass::count)> part_names = {
    "samples", "densities", "roots", "trees", "migration", "other"};
static_assert(!part_names.back().empty(), "one name for each part");

// As long as it lives, what this rank begins to send to other sites is for this part of the step.
class TrafficScope {
  public:
    TrafficScope(Comm& comm, TrafficClass part);
    ~TrafficScope();
    TrafficScope(const TrafficScope&) = delete;
    TrafficScope& operator=(const TrafficScope&) = delete;

  private:
    TrafficClass* present_;  // null: there is one site
    TrafficClass before_ = TrafficClass::other;
};

}  // namespace trellis
