// The columns of one system as a block of threads works on them: each thread has every threads.count()-th particle, and
// all run the same code, each with a copy of the system. See kernels/system_columns.hpp.
//
// Threads: number() of this one, count() of all, which divides partial_sums; wait() for all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/ensembles/gpu/block_space.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class Threads>
class ThreadColumns {
  public:
    using Value = double;

    // columns, ids: at the first slot of the system. at_hand: memory for the columns that move; null if they stay in
    // `columns`. partial: memory for sums.
    TRELLIS_HOST_DEVICE ThreadColumns(const Threads& threads, double* columns, std::size_t stride,
                                      const std::uint64_t* ids, const System& system, double* at_hand, double* partial)
        : threads_(threads),
          columns_(columns),
          stride_(stride),
          ids_(ids),
          moving_(at_hand == nullptr ? columns : at_hand),
          moving_stride_(at_hand == nullptr ? stride : system.slots),
          count_(system.count),
          partial_(partial) {}

    // The columns of a copy of the system at another address.
    TRELLIS_HOST_DEVICE ThreadColumns at(double* columns, const System& system) const {
        return {threads_, columns, system.slots, ids_, system, nullptr, partial_};
    }

    TRELLIS_HOST_DEVICE const Threads& threads() const { return threads_; }
    TRELLIS_HOST_DEVICE std::size_t count() const { return count_; }

    TRELLIS_HOST_DEVICE double* operator[](std::size_t component) const {
        return component < moving_columns ? moving_ + component * moving_stride_ : columns_ + component * stride_;
    }
    TRELLIS_HOST_DEVICE double value(std::size_t component, std::size_t k) const { return (*this)[component][k]; }
    TRELLIS_HOST_DEVICE void put(std::size_t component, std::size_t k, double value) const {
        (*this)[component][k] = value;
    }
    TRELLIS_HOST_DEVICE Vec3<double> vector(std::size_t component, std::size_t k) const {
        return {value(component, k), value(component + 1, k), value(component + 2, k)};
    }
    TRELLIS_HOST_DEVICE double of_particles(std::size_t, double value) const { return value; }
    TRELLIS_HOST_DEVICE static double if_less(double a, double b, double one, double other) {
        return a < b ? one : other;
    }
    TRELLIS_HOST_DEVICE Vec3<double> particle(std::size_t component, std::size_t k) const {
        return vector(component, k);
    }
    TRELLIS_HOST_DEVICE void set(std::size_t component, std::size_t k, const Vec3<double>& value) const {
        for (std::size_t axis = 0; axis < 3; ++axis) put(component + axis, k, value[axis]);
    }

    // Copies the moving columns to at_hand, and back.
    TRELLIS_HOST_DEVICE void fetch() const { copy(columns_, stride_, moving_, moving_stride_); }
    TRELLIS_HOST_DEVICE void bring_back() const { copy(moving_, moving_stride_, columns_, stride_); }

    // Calls body(k) for the particles of this thread.
    template <class Body>
    TRELLIS_HOST_DEVICE void each(const Body& body) const {
        for (std::size_t k = threads_.number(); k < count_; k += threads_.count()) body(k);
    }
    template <class Body>
    TRELLIS_HOST_DEVICE void each_particle(const Body& body) const {
        each(body);
    }

    // Sums and maxima over all particles of the numbers of value(k), known to all threads; for maxima they must be at
    // least 0. The order depends on the number of particles alone.
    template <class Of>
    TRELLIS_HOST_DEVICE double sum(Of&& value) const {
        return sums<1>([&](std::size_t k) -> std::array<double, 1> { return {value(k)}; })[0];
    }
    template <std::size_t Numbers, class Of>
    TRELLIS_HOST_DEVICE std::array<double, Numbers> sums(Of&& value) const {
        return joined<Numbers>(value, [](double a, double b) { return a + b; });
    }
    template <std::size_t Numbers, class Of>
    TRELLIS_HOST_DEVICE std::array<double, Numbers> largest(Of&& value) const {
        return joined<Numbers>(value, [](double a, double b) { return a < b ? b : a; });
    }

    // The random kicks of a call (integrate/thermostats/langevin_noise.hpp).
    class Noise {
      public:
        TRELLIS_HOST_DEVICE Noise(const ThreadColumns& columns, std::uint64_t seed, std::uint64_t call)
            : ids_(columns.ids_), seed_(seed), call_(call) {}
        TRELLIS_HOST_DEVICE Vec3<double> operator()(std::size_t k) const {
            return langevin_noise<double, std::uint64_t>(seed_, ids_[k], call_);
        }

      private:
        const std::uint64_t* ids_;
        std::uint64_t seed_, call_;
    };

  private:
    TRELLIS_HOST_DEVICE void copy(const double* from, std::size_t from_stride, double* to,
                                  std::size_t to_stride) const {
        if (from == to) return;
        for (std::size_t c = 0; c < moving_columns; ++c)
            each([&](std::size_t k) { to[c * to_stride + k] = from[c * from_stride + k]; });
    }

    // Joins the numbers of every partial_sums-th particle, all by one thread; then every last_sums-th of these; then
    // the rest.
    template <std::size_t Numbers, class Of, class Join>
    __attribute__((noinline)) TRELLIS_HOST_DEVICE std::array<double, Numbers> joined(Of& value,
                                                                                     const Join& join) const {
        static_assert(Numbers <= most_numbers);
        const std::size_t parts = count_ < partial_sums ? count_ : partial_sums;
        for (std::size_t p = threads_.number(); p < parts; p += threads_.count()) {
            std::array<double, Numbers> part{};
            for (std::size_t k = p; k < count_; k += partial_sums) {
                const std::array<double, Numbers> more = value(k);
                for (std::size_t c = 0; c < Numbers; ++c) part[c] = join(part[c], more[c]);
            }
            for (std::size_t c = 0; c < Numbers; ++c) partial_[last_parts + c * parts + p] = part[c];
        }
        threads_.wait();
        const std::size_t last = parts < last_sums ? parts : last_sums;
        for (std::size_t p = threads_.number(); p < last * Numbers; p += threads_.count()) {
            const std::size_t c = p / last;
            double part = 0;
            for (std::size_t k = p % last; k < parts; k += last_sums)
                part = join(part, partial_[last_parts + c * parts + k]);
            partial_[p] = part;
        }
        threads_.wait();
        std::array<double, Numbers> all{};
        for (std::size_t c = 0; c < Numbers; ++c)
            for (std::size_t k = 0; k < last; ++k) all[c] = join(all[c], partial_[c * last + k]);
        return all;
    }

    const Threads& threads_;
    double* columns_;
    std::size_t stride_;
    const std::uint64_t* ids_;
    double* moving_;
    std::size_t moving_stride_;
    std::size_t count_;
    double* partial_;
};

TRELLIS_ISA_END
}  // namespace trellis
