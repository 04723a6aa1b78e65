// Lines by FFTW 3. Plans are estimated, not measured: measurements would choose other algorithms, and so other last
// digits, from run to run.
#include <fftw3.h>

#include <mutex>

#include "trellis/mesh/lines/lines.hpp"

namespace trellis {

namespace {

constexpr unsigned plan_flags = FFTW_ESTIMATE | FFTW_UNALIGNED;

// FFTW's planner serves one thread at a time.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

// FFTW's names in each precision.
template <class T>
struct Fftw;

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define TRELLIS_FFTW(Real, prefix)                                                                                   \
    template <>                                                                                                      \
    struct Fftw<Real> {                                                                                              \
        using Plan = prefix##_plan;                                                                                  \
        using Complex = prefix##_complex;                                                                            \
        static Complex* of(std::complex<Real>* values) { return reinterpret_cast<Complex*>(values); }                \
        static Plan complex_lines(const LineShape& s, Complex* example, int sign) {                                  \
            return prefix##_plan_many_dft(1, &s.length, s.lines, example, nullptr, s.step, s.to_next_line, example,  \
                                          nullptr, s.step, s.to_next_line, sign, plan_flags);                        \
        }                                                                                                            \
        static Plan to_complex(int n, int lines, Real* values, Complex* coefficients) {                              \
            return prefix##_plan_many_dft_r2c(1, &n, lines, values, nullptr, 1, n, coefficients, nullptr, 1,         \
                                              n / 2 + 1, plan_flags);                                                \
        }                                                                                                            \
        static Plan to_real(int n, int lines, Complex* coefficients, Real* values) {                                 \
            return prefix##_plan_many_dft_c2r(1, &n, lines, coefficients, nullptr, 1, n / 2 + 1, values, nullptr, 1, \
                                              n, plan_flags);                                                        \
        }                                                                                                            \
        static void run(Plan plan, Complex* values) { prefix##_execute_dft(plan, values, values); }                  \
        static void run(Plan plan, Real* values, Complex* coefficients) {                                            \
            prefix##_execute_dft_r2c(plan, values, coefficients);                                                    \
        }                                                                                                            \
        static void run(Plan plan, Complex* coefficients, Real* values) {                                            \
            prefix##_execute_dft_c2r(plan, coefficients, values);                                                    \
        }                                                                                                            \
        static void destroy(Plan plan) {                                                                             \
            const std::scoped_lock lock(planner());                                                                  \
            prefix##_destroy_plan(plan);                                                                             \
        }                                                                                                            \
    };
// NOLINTEND(bugprone-macro-parentheses)
TRELLIS_FFTW(float, fftwf)
TRELLIS_FFTW(double, fftw)
#undef TRELLIS_FFTW

// An estimated plan depends on the alignment of its example alone, which FFTW_UNALIGNED ignores: no value is read.
template <class T>
std::unique_ptr<std::complex<T>[]> example_of(std::size_t size) {
    return std::make_unique_for_overwrite<std::complex<T>[]>(size);
}

}  // namespace

std::string_view fourier_library() { return "FFTW"; }

template <class T>
struct ComplexLines<T>::Plan {
    typename Fftw<T>::Plan plan;
    ~Plan() { Fftw<T>::destroy(plan); }
};

template <class T>
ComplexLines<T>::ComplexLines(const LineShape& shape, bool forward) {
    const auto example = example_of<T>(1);
    const std::scoped_lock lock(planner());
    plan_ = std::make_shared<const Plan>(
        Fftw<T>::complex_lines(shape, Fftw<T>::of(example.get()), forward ? FFTW_FORWARD : FFTW_BACKWARD));
}
template <class T>
void ComplexLines<T>::run(std::complex<T>* values) const {
    Fftw<T>::run(plan_->plan, Fftw<T>::of(values));
}

template <class T>
struct RealLines<T>::Plan {
    typename Fftw<T>::Plan to_complex, to_real;
    ~Plan() {
        Fftw<T>::destroy(to_complex);
        Fftw<T>::destroy(to_real);
    }
};

template <class T>
RealLines<T>::RealLines(int length, int lines) {
    const auto example = example_of<T>(2);
    auto* coefficients = Fftw<T>::of(example.get());
    auto* values = reinterpret_cast<T*>(example.get() + 1);
    const std::scoped_lock lock(planner());
    plan_ = std::make_shared<const Plan>(Fftw<T>::to_complex(length, lines, values, coefficients),
                                         Fftw<T>::to_real(length, lines, coefficients, values));
}
template <class T>
void RealLines<T>::forward(const T* values, std::complex<T>* coefficients) const {
    // FFTW does not write to the values of an out-of-place transform to coefficients.
    Fftw<T>::run(plan_->to_complex, const_cast<T*>(values), Fftw<T>::of(coefficients));
}
template <class T>
void RealLines<T>::backward(std::complex<T>* coefficients, T* values) const {
    Fftw<T>::run(plan_->to_real, Fftw<T>::of(coefficients), values);
}

template class ComplexLines<float>;
template class ComplexLines<double>;
template class RealLines<float>;
template class RealLines<double>;

}  // namespace trellis
