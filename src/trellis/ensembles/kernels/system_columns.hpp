// The columns of one system, among those of all systems of a device, as one core works on them: particles stand side by
// side in the lanes of vectors. For kernel sources only.
//
// The templates over Columns in this room need the members that this class has; gpu/thread_columns.hpp has them for a
// block of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/base/batch.hpp"
#include "trellis/base/vector_words.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

struct SystemColumns {
    using Value = Vector<double>;  // values of consecutive particles

    double* values;  // at the first slot of the system
    std::size_t stride;
    const std::uint64_t* ids;
    std::size_t count, slots;

    SystemColumns(double* columns, const std::uint64_t* all_ids, std::size_t stride, const System& system)
        : values(columns + system.first),
          stride(stride),
          ids(all_ids + system.first),
          count(system.count),
          slots(system.slots) {}

    double* operator[](std::size_t component) const { return values + component * stride; }

    // One component, or three, of the particles from k on.
    Value value(std::size_t component, std::size_t k) const { return load_unaligned((*this)[component] + k); }
    Vec3<Value> vector(std::size_t component, std::size_t k) const {
        return {value(component, k), value(component + 1, k), value(component + 2, k)};
    }
    void put(std::size_t component, std::size_t k, const Value& value) const {
        store_unaligned<double>(value, (*this)[component] + k);
    }
    // The value for particles, 0 for open slots, which have no mass.
    Value of_particles(std::size_t k, const Value& value) const {
        return blend<double>(less<double>(Value{}, this->value(system_columns::mass, k)), value, Value{});
    }

    // In each lane `one` where a < b, `other` elsewhere.
    static Value if_less(const Value& a, const Value& b, const Value& one, const Value& other) {
        return blend<double>(less<double>(a, b), one, other);
    }

    // Three components of particle k alone.
    Vec3<double> particle(std::size_t component, std::size_t k) const {
        return {(*this)[component][k], (*this)[component + 1][k], (*this)[component + 2][k]};
    }
    void set(std::size_t component, std::size_t k, const Vec3<double>& value) const {
        for (std::size_t axis = 0; axis < 3; ++axis) (*this)[component + axis][k] = value[axis];
    }

    // Calls body(k) for the first slot of each vector.
    template <class Body>
    [[gnu::always_inline]] void each(Body&& body) const {
        for (std::size_t k = 0; k < slots; k += lanes<double>) body(k);
    }
    // The sum of value(k), a vector for the slots from k on, over all slots: by 8 partial sums, so that all instruction
    // sets add in the same order.
    template <class Of>
    [[gnu::always_inline]] double sum(Of&& value) const;

    // Calls body(k) for one particle after the other.
    template <class Body>
    [[gnu::always_inline]] void each_particle(Body&& body) const {
        for (std::size_t k = 0; k < count; ++k) body(k);
    }
    // Sums, and maxima, of the numbers of value(k); for maxima they must be at least 0.
    template <std::size_t Numbers, class Of>
    [[gnu::always_inline]] std::array<double, Numbers> sums(Of&& value) const {
        std::array<double, Numbers> all{};
        for (std::size_t k = 0; k < count; ++k) {
            const std::array<double, Numbers> more = value(k);
            for (std::size_t c = 0; c < Numbers; ++c) all[c] += more[c];
        }
        return all;
    }
    template <std::size_t Numbers, class Of>
    [[gnu::always_inline]] std::array<double, Numbers> largest(Of&& value) const {
        std::array<double, Numbers> all{};
        for (std::size_t k = 0; k < count; ++k) {
            const std::array<double, Numbers> more = value(k);
            for (std::size_t c = 0; c < Numbers; ++c) all[c] = std::max(all[c], more[c]);
        }
        return all;
    }

    // The random kicks of a call (integrate/thermostats/langevin_noise.hpp), which must be drawn in the order of slots.
    class Noise {
      public:
        Noise(const SystemColumns& columns, std::uint64_t seed, std::uint64_t call)
            : ids_(columns.ids), seed_(seed), call_(call) {}
        [[gnu::always_inline]] Vec3<Value> operator()(std::size_t k) {
            const std::size_t lane = k % langevin_block;
            if (lane == 0) langevin_noise(seed_, ids_ + k, call_, block_);
            return {load_unaligned(block_.axis[0] + lane), load_unaligned(block_.axis[1] + lane),
                    load_unaligned(block_.axis[2] + lane)};
        }

      private:
        const std::uint64_t* ids_;
        std::uint64_t seed_, call_;
        LangevinBlock block_;
    };
};

template <class Of>
[[gnu::always_inline]] inline double SystemColumns::sum(Of&& value) const {
    constexpr std::size_t parts = 8 / lanes<double>;
    Value partial[parts] = {};
    for (std::size_t k = 0; k < slots; k += 8)
        for (std::size_t part = 0; part < parts; ++part) partial[part] += value(k + part * lanes<double>);
    double single[8], sum = 0;
    for (std::size_t part = 0; part < parts; ++part)
        store_unaligned<double>(partial[part], single + part * lanes<double>);
    for (const double one : single) sum += one;
    return sum;
}

TRELLIS_ISA_END
}  // namespace trellis
