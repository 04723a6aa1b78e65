// Fourier transforms of many lines of values at once, by the library that was found when Trellis was built.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace trellis {

// Name of the library: "FFTW", "PocketFFT", or empty without one.
std::string_view fourier_library();

// The layout of `lines` lines of `length` values each: value k of line j is at j * to_next_line + k * step.
struct LineShape {
    int length, lines;
    int step, to_next_line;
};

// Not normalised: forward, then backward, multiplies by length. Bits depend neither on the number of threads nor on the
// alignment of memory.
template <class T>
class ComplexLines {
  public:
    // forward: exp(-i k x); else exp(+i k x). Throws InputError if there is no library.
    ComplexLines(const LineShape& shape, bool forward);

    // In place. Several threads may call it at once.
    void run(std::complex<T>* values) const;

  private:
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

// `lines` lines of n = `length` real values, one behind the other, and their n / 2 + 1 complex coefficients. Not
// normalised.
template <class T>
class RealLines {
  public:
    RealLines(int length, int lines);

    void forward(const T* values, std::complex<T>* coefficients) const;
    // The coefficients are overwritten.
    void backward(std::complex<T>* coefficients, T* values) const;

  private:
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

}  // namespace trellis
