#include "trellis/tree/predicted_fields.hpp"

#include <algorithm>

namespace trellis {

PredictedFields::PredictedFields(SortedColumns& columns, const ParticleSet& particles,
                                 std::span<const FieldInfo> fields, std::span<const std::uint32_t> order,
                                 std::span<const Prediction> predictions)
    : columns_(columns), order_(order) {
    std::size_t component = 0;
    for (const FieldInfo& field : fields) {
        const auto found = std::ranges::find(predictions, field.name, &Prediction::value);
        if (found != predictions.end()) fields_.push_back({component, field.components, {particles, *found}});
        component += field.components;
    }
}

void PredictedFields::operator()(std::size_t first, std::size_t end) const {
    for (const auto& [component, components, ahead] : fields_) {
        for (std::size_t c = 0; c < components; ++c) {
            double* values = columns_.component(component + c);
            for (std::size_t slot = first; slot < end; ++slot) values[slot] = ahead(values[slot], order_[slot], c);
        }
    }
}

}  // namespace trellis
