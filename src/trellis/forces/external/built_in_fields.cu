#include "trellis/forces/external/built_in_fields.hpp"

#include "trellis/forces/external/external_field.cuh"

namespace trellis {

void TRELLIS_GPU::register_built_in_fields() {
    register_external_field<external::UniformField>();
    register_external_field<external::HarmonicTrap>();
    register_external_field<external::MeanDensity>();
    register_external_field<external::PointMass>();
    register_external_field<external::Plummer>();
    register_external_field<external::Nfw>();
    register_external_field<external::LogarithmicHalo>();
    register_external_field<external::MiyamotoNagai>();
    register_external_field<external::RotatingBar>();
}

}  // namespace trellis
