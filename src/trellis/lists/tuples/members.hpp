// Positions of the members of tuples, and columns that a function reads, by slots: rows of this rank's particles, and
// behind these the members that other ranks have sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class Members {
  public:
    // columns: of one number each. imported: see ImportedMembers::finish. Both the particles and these stay as they
    // are.
    Members(const ParticleSet& particles, std::span<const std::string> columns, std::span<const double> imported)
        : positions_(particles[fields::position]), imported_(imported), width_(3 + columns.size()) {
        for (const std::string& name : columns) columns_.push_back(particles.column(name).values());
    }

    Vec3<double> position(std::uint32_t slot) const {
        if (slot < positions_.size()) return positions_[slot];
        const double* values = imported_.data() + (slot - positions_.size()) * width_;
        return {values[0], values[1], values[2]};
    }
    double value(std::size_t column, std::uint32_t slot) const {
        if (slot < positions_.size()) return columns_[column][slot];
        return imported_[(slot - positions_.size()) * width_ + 3 + column];
    }

  private:
    std::span<const Vec3<double>> positions_;
    std::vector<const double*> columns_;
    std::span<const double> imported_;
    std::size_t width_;
};

}  // namespace trellis
