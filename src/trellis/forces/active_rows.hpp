// The rows of particles that a force, or a limit of steps, is computed for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

// All rows, or those of a rising list, which is not copied.
class ActiveRows {
  public:
    ActiveRows() = default;  // all rows
    explicit ActiveRows(std::span<const std::uint32_t> rows) : all_(false), rows_(rows) {}

    bool all() const { return all_; }
    // The number of active rows among `rows` rows of particles.
    std::size_t count(std::size_t rows) const { return all_ ? rows : rows_.size(); }
    // The k-th active row.
    std::uint32_t operator[](std::size_t k) const { return all_ ? static_cast<std::uint32_t>(k) : rows_[k]; }

  private:
    bool all_ = true;
    std::span<const std::uint32_t> rows_;
};

// Flags active rows with 1, all others with 0.
inline void flag_rows(const ActiveRows& active, std::size_t rows, std::vector<std::uint8_t>& flags) {
    flags.assign(rows, active.all() ? 1 : 0);
    if (active.all()) return;
    for (std::size_t k = 0; k < active.count(rows); ++k) flags[active[k]] = 1;
}

}  // namespace trellis
