// Columns in tree order ahead of their time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/particles/motion.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

// The fields with a prediction among those that are gathered: called for each block that SortedColumns::gather has
// copied.
class PredictedFields {
  public:
    // columns, order: those of gather. All arguments but the predictions outlive it.
    PredictedFields(SortedColumns& columns, const ParticleSet& particles, std::span<const FieldInfo> fields,
                    std::span<const std::uint32_t> order, std::span<const Prediction> predictions);

    void operator()(std::size_t first, std::size_t end) const;

  private:
    struct PredictedField {
        std::size_t component, components;  // the first among those of the columns, and their number
        PredictedColumn ahead;
    };

    SortedColumns& columns_;
    std::span<const std::uint32_t> order_;
    std::vector<PredictedField> fields_;
};

}  // namespace trellis
