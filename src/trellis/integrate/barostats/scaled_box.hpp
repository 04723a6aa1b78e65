// The particles and their box scaled for a trial, which is kept or undone.
#pragma once

#include "trellis/particles/particle_set.hpp"
#include "trellis/particles/saved_columns.hpp"

namespace trellis {

class ScaledBox {
  public:
    // Multiplies all positions and the faces of the box, which is periodic along all axes, by a factor. saved: the
    // columns that the trial may change, position among them; rows stay where they are meanwhile.
    ScaledBox(ParticleSet& particles, SavedColumns& saved, double factor);
    // Unless the trial is kept, the box and the saved columns are as before, to the bit.
    ~ScaledBox();
    ScaledBox(const ScaledBox&) = delete;
    ScaledBox& operator=(const ScaledBox&) = delete;

    // The change of the volume.
    double volume_change() const;
    void keep() { kept_ = true; }

  private:
    ParticleSet& particles_;
    const SavedColumns& saved_;
    Region before_;
    bool kept_ = false;
};

}  // namespace trellis
