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
        : positions_{particles[fields::position].data(), particles.size(), imported.data(), 3 + columns.size()} {
        for (const std::string& name : columns) columns_.push_back(particles.column(name).values());
    }

    // By slots; a value, which a loop keeps in registers.
    struct Positions {
        const Vec3<double>* rows;
        std::size_t count;
        const double* imported;
        std::size_t width;

        Vec3<double> operator()(std::uint32_t slot) const {
            if (slot < count) return rows[slot];
            const double* values = imported + (slot - count) * width;
            return {values[0], values[1], values[2]};
        }
    };
    Positions positions() const { return positions_; }
    double value(std::size_t column, std::uint32_t slot) const {
        if (slot < positions_.count) return columns_[column][slot];
        return positions_.imported[(slot - positions_.count) * positions_.width + 3 + column];
    }

  private:
    Positions positions_;
    std::vector<const double*> columns_;
};

}  // namespace trellis
