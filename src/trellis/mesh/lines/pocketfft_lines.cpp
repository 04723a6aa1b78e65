// Lines by PocketFFT, for builds without FFTW. It keeps the plans of the last lengths itself.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>

#include "trellis/mesh/lines/lines.hpp"

namespace trellis {

namespace {

template <class T>
pocketfft::stride_t strides(std::ptrdiff_t to_next_line, std::ptrdiff_t step) {
    return {to_next_line * static_cast<std::ptrdiff_t>(sizeof(T)), step * static_cast<std::ptrdiff_t>(sizeof(T))};
}

}  // namespace

std::string_view fourier_library() { return "PocketFFT"; }

template <class T>
struct ComplexLines<T>::Plan {
    LineShape shape;
    bool forward;
};

template <class T>
ComplexLines<T>::ComplexLines(const LineShape& shape, bool forward)
    : plan_(std::make_shared<const Plan>(shape, forward)) {}
template <class T>
void ComplexLines<T>::run(std::complex<T>* values) const {
    const LineShape& s = plan_->shape;
    const auto at = strides<std::complex<T>>(s.to_next_line, s.step);
    pocketfft::c2c({static_cast<std::size_t>(s.lines), static_cast<std::size_t>(s.length)}, at, at, {1}, plan_->forward,
                   values, values, T(1));
}

template <class T>
struct RealLines<T>::Plan {
    int length, lines;
    pocketfft::shape_t shape() const { return {static_cast<std::size_t>(lines), static_cast<std::size_t>(length)}; }
    pocketfft::stride_t real() const { return strides<T>(length, 1); }
    pocketfft::stride_t complex() const { return strides<std::complex<T>>(length / 2 + 1, 1); }
};

template <class T>
RealLines<T>::RealLines(int length, int lines) : plan_(std::make_shared<const Plan>(length, lines)) {}
template <class T>
void RealLines<T>::forward(const T* values, std::complex<T>* coefficients) const {
    pocketfft::r2c(plan_->shape(), plan_->real(), plan_->complex(), 1, pocketfft::FORWARD, values, coefficients, T(1));
}
template <class T>
void RealLines<T>::backward(std::complex<T>* coefficients, T* values) const {
    pocketfft::c2r(plan_->shape(), plan_->complex(), plan_->real(), 1, pocketfft::BACKWARD, coefficients, values, T(1));
}

template class ComplexLines<float>;
template class ComplexLines<double>;
template class RealLines<float>;
template class RealLines<double>;

}  // namespace trellis
