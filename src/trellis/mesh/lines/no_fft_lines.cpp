// Replaces the other sources where no library for Fourier transforms was found.
#include "trellis/base/error.hpp"
#include "trellis/mesh/lines/lines.hpp"

namespace trellis {

namespace {

[[noreturn]] void refuse() {
    throw InputError(
        "Trellis was built without a library for Fourier transforms, so that there is no mesh: install FFTW 3 (Debian: "
        "libfftw3-dev) or PocketFFT's header, and build Trellis again");
}

}  // namespace

std::string_view fourier_library() { return ""; }

template <class T>
struct ComplexLines<T>::Plan {};
template <class T>
ComplexLines<T>::ComplexLines(const LineShape& /*shape*/, bool /*forward*/) {
    refuse();
}
template <class T>
void ComplexLines<T>::run(std::complex<T>* /*values*/) const {}

template <class T>
struct RealLines<T>::Plan {};
template <class T>
RealLines<T>::RealLines(int /*length*/, int /*lines*/) {
    refuse();
}
template <class T>
void RealLines<T>::forward(const T* /*values*/, std::complex<T>* /*coefficients*/) const {}
template <class T>
void RealLines<T>::backward(std::complex<T>* /*coefficients*/, T* /*values*/) const {}

template class ComplexLines<float>;
template class ComplexLines<double>;
template class RealLines<float>;
template class RealLines<double>;

}  // namespace trellis
