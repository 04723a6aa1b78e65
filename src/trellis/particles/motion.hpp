// The motion of particles: rungs of individual time steps (integrate/rungs), fixed particles, and values ahead of their
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "trellis/base/parallel.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

struct Rung : Field<double, "rung", "", "rung r of individual time steps: 2^r steps in each longest step"> {};
// Fixed particles act on others, but keep their velocity, zero or not: those of walls, at rest or moving. They also
// keep other vectors that evolve, such as a spin; numbers, such as an internal energy, evolve.
struct Fixed : Field<double, "fixed", "", "not 0: the particle keeps its velocity, whatever acts on it"> {};

namespace fields {
inline constexpr Rung rung;
inline constexpr Fixed fixed;
}  // namespace fields

// The number of fixed particles of this rank.
inline std::size_t fixed_count(const ParticleSet& particles) {
    if (!particles.has(Fixed::name)) return 0;
    const auto fixed = particles[fields::fixed];
    return fixed.size() - static_cast<std::size_t>(std::ranges::count(fixed, 0.0));
}

// True for what evolves only of particles that are not fixed.
inline bool is_motion(const FieldInfo& value) { return value.components == 3; }

// The rows whose velocities change: all of a set without the field, or without a set. The set, which outlives it, keeps
// its rows.
class FreeRows {
  public:
    FreeRows() = default;
    explicit FreeRows(const ParticleSet& particles) {
        if (particles.has(Fixed::name)) fixed_ = particles[fields::fixed];
    }

    bool operator[](std::size_t row) const { return fixed_.empty() || fixed_[row] == 0; }

    // Calls body(row) for each of them among `rows` rows.
    template <class Body>
    void for_each(std::size_t rows, const Body& body) const {
        if (fixed_.empty()) return parallel_for(rows, body);
        parallel_for(rows, [&](std::size_t row) {
            if (fixed_[row] == 0) body(row);
        });
    }

  private:
    std::span<const double> fixed_;  // empty without the field
};

// A column that is read ahead of its time: value + time * rate, but the motion of fixed particles as it is. value,
// rate: names of columns.
struct Prediction {
    std::string value, rate;
    double time;
};

inline Prediction predicted_velocity(double time) { return {Velocity::name, Acceleration::name, time}; }

// The values of a predicted column. The set, which outlives it, keeps its rows.
class PredictedColumn {
  public:
    PredictedColumn(const ParticleSet& particles, const Prediction& prediction)
        : rates_(particles.column(prediction.rate).values()), time_(prediction.time) {
        const FieldInfo& field = particles.column(prediction.value).info();
        components_ = field.components;
        if (is_motion(field)) free_ = FreeRows(particles);
    }

    // Component c in a row, whose value in the column is `present`.
    double operator()(double present, std::size_t row, std::size_t c) const {
        return free_[row] ? present + time_ * rates_[row * components_ + c] : present;
    }

  private:
    const double* rates_;
    double time_;
    std::size_t components_;
    FreeRows free_;
};

}  // namespace trellis
