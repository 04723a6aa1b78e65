"""Functions as instructions on vectors.

Roots are as in `base/vector_rsqrt.hpp`. The other functions are polynomials without tables: errors of exp and log are
below 1.5 units in the last place of either precision, also for subnormal results and arguments.
"""

from __future__ import annotations

import math

from trellis.interactions.code.instructions import Instructions

# log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R(s^2))), s = f / (2 + f): R of FreeBSD's e_logf.c and e_log.c.
_LOG_SINGLE = (float.fromhex("0xaaaaaa.0p-24"), float.fromhex("0xccce13.0p-25"), float.fromhex("0x91e9ee.0p-25"),
               float.fromhex("0xf89e26.0p-26"))  # fmt: skip
_LOG_DOUBLE = (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
               1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01)  # fmt: skip
# exp(r) = 1 + r + r^2 P(r), |r| <= log(2) / 2: Cephes' expf; in double the series.
_EXP_SINGLE = (5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3, 1.3981999507e-3, 1.9875691500e-4)
_EXP_DOUBLE = tuple(1 / math.factorial(k) for k in range(2, 14))
# sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2 / 2 + r^4 C(r^2), |r| <= pi / 4: Cephes' sinf.c, FreeBSD's k_sin.c, k_cos.c;
# pi / 2 in parts of which the first times a whole number is exact.
_SIN_SINGLE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_COS_SINGLE = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
_SIN_DOUBLE = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
               2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
_COS_DOUBLE = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
               -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
_HALF_PI_SINGLE = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
_HALF_PI_DOUBLE = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
# atan(q) = q - q^3 A(q^2), |q| <= 7/16: FreeBSD's s_atan.c.
_ATAN_DOUBLE = (3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
                6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                -3.65315727442169155270e-02, 1.62858201153657823623e-02)  # fmt: skip

# erf(x) = x P(x^2) for |x| < 3/4; erfc(x) = exp(-x^2) Q((x - 5/2) / (x + 5/2)) / (x + 5/2) from there on;
# tanh(x) = x + x^3 P(x^2) for |x| < 5/8. P and Q interpolate at Chebyshev's nodes, computed in 60 digits.
_ERF_SINGLE = (1.12837911, -0.3761262, 0.112833865, -0.0268351138, 0.00511533208, -0.000675647985)
_ERF_DOUBLE = (1.1283791670955126, -0.37612638903183715, 0.11283791670952596, -0.026866170644428485,
               0.005223977615420539, -0.0008548326188759752, 0.00012055289567541706,
               -1.4924196305569617e-05, 1.643068417974155e-06, -1.5940066854661717e-07,
               1.1472499701094691e-08)  # fmt: skip
_ERFC_SINGLE = (1.05403185, -0.804651856, 0.453914136, -0.171250746, 0.0283605345, 0.00838721544,
                -0.00480461074, -0.000408213586, 0.000634352386)  # fmt: skip
_ERFC_DOUBLE = (1.054031820305718, -0.8046518494391489, 0.4539141166480974, -0.17125114524604554,
                0.028361550131915835, 0.00839304430239939, -0.004818785521291173, -0.0004392082643791594,
                0.0007026936966845289, 5.8307752617831435e-05, -0.00011260457614525662,
                -1.9531726206438727e-05, 1.8242695272751748e-05, 6.752158637706134e-06,
                -2.324927982505185e-06, -1.9590640869863186e-06, -2.5978777425481027e-08,
                4.518490549937452e-07, 1.6679312356825812e-07, -9.271559719397935e-08,
                -6.441954051988891e-08, 2.909463096418223e-08)  # fmt: skip
_TANH_SINGLE = (-0.333333284, 0.133327693, -0.0538509078, 0.0209971797, -0.00609671418)
_TANH_DOUBLE = (-0.3333333333333333, 0.13333333333333042, -0.05396825396789699, 0.021869488519008305,
                -0.008863235103240878, 0.0035921217511549622, -0.0014557754120478055, 0.0005896606577757043,
                -0.0002375906496055562, 9.257116129556769e-05, -3.12011014257974e-05,
                6.485163482793113e-06)  # fmt: skip


class VectorCode(Instructions):
    """Instructions, and functions of values made of them."""

    def rsqrt(self, x: str, *, positive: bool = False) -> str:
        """Return 1 / sqrt(x), and 0 where x is 0, as vector_rsqrt does; positive: x is above 0, and not subnormal."""
        whole = self.lanes * self.bits == 8 * self.machine.vector_bytes
        zero = self.constant(0)
        if whole and self.machine.level == "v4":
            value = self._rsqrt_by_avx512(x)
            return value if positive else self.select(self.compare("une", x, zero), value, zero)
        if whole and self.machine.level == "v3" and self.bits == 32:
            guess = self.call("llvm.x86.avx.rsqrt.ps.256", x)
            if not positive:
                guess = self.select(self.compare("uge", x, self.constant(2.0**-126)), guess, zero)
            return self._refined(x, guess, self.mul(guess, self.constant(0.5)))
        inverse = self.binary("fdiv", self.constant(1), self._sqrt(x))
        return inverse if positive else self.select(self.compare("oeq", x, zero), zero, inverse)

    def _rsqrt_by_avx512(self, x: str) -> str:
        kind, mask = ("ps", "i16") if self.bits == 32 else ("pd", "i8")
        guess = self.call(f"llvm.x86.avx512.rsqrt14.{kind}.512", x, "zeroinitializer", (mask, "-1"))
        if self.bits == 64:
            guess = self._refined(x, guess, self.mul(guess, self.constant(0.5)))
            half = self.mul(guess, self.constant(0.5))
        else:
            bits = self.cast("bitcast", self.type, guess, self.integers)
            half = self.cast("bitcast", self.integers, self.on_integers("sub", bits, self.integer(1 << 23)), self.type)
        return self._refined(x, guess, half)

    def _refined(self, x: str, y: str, half: str) -> str:
        """Return y after a Newton step."""
        rest = self.sub(self.constant(1), self.mul(self.mul(x, y), y))
        return self.add(y, self.mul(half, rest))

    def _sqrt(self, x: str) -> str:
        return self.call(f"llvm.sqrt.{self._suffix()}", x)

    def _polynomial(self, coefficients: tuple[float, ...], x: str) -> str:
        value = self.constant(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            value = self.add(self.mul(value, x), self.constant(coefficient))
        return value

    def exp(self, x: str) -> str:
        """Return e to the power x: 2^n exp(r), x = n log(2) + r."""
        single = self.bits == 32
        low, high = (-110.0, 100.0) if single else (-760.0, 720.0)
        x = self.select(self.compare("olt", x, self.constant(low)), self.constant(low), x)
        x = self.select(self.compare("ogt", x, self.constant(high)), self.constant(high), x)
        scaled = self.mul(x, self.constant(1 / math.log(2)))
        n = self.call(f"llvm.rint.{self._suffix()}", scaled)
        ln2_high, ln2_low = (
            (0.693359375, -2.12194440e-4) if single else (0.693147180369123816490, 1.90821492927058770002e-10)
        )
        r = self.sub(self.sub(x, self.mul(n, self.constant(ln2_high))), self.mul(n, self.constant(ln2_low)))
        p = self._polynomial(_EXP_SINGLE if single else _EXP_DOUBLE, r)
        power = self.add(self.constant(1), self.add(r, self.mul(self.mul(r, r), p)))
        return self._times_two_to(power, n)

    def _times_two_to(self, x: str, n: str) -> str:
        """Return x 2^n; in two steps where exponents are put together, since 2^n itself may be out of range."""
        if self.machine.level == "v4" and self.lanes * self.bits == 512:
            kind, mask = ("ps", "i16") if self.bits == 32 else ("pd", "i8")
            return self.call(
                f"llvm.x86.avx512.mask.scalef.{kind}.512", x, n, "zeroinitializer", (mask, "-1"), ("i32", "4")
            )
        whole = self.cast("fptosi", self.type, n, self.integers)
        half = self.on_integers("ashr", whole, self.integer(1))
        for part in (half, self.on_integers("sub", whole, half)):
            x = self.mul(x, self._two_to(part))
        return x

    def _two_to(self, n: str) -> str:
        bias, shift = (127, 23) if self.bits == 32 else (1023, 52)
        biased = self.on_integers("shl", self.on_integers("add", n, self.integer(bias)), self.integer(shift))
        return self.cast("bitcast", self.integers, biased, self.type)

    def log(self, x: str) -> str:
        """Return the logarithm of x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)."""
        single = self.bits == 32
        shift, bias = (23, 127) if single else (52, 1023)
        root_half, one = (0x3F3504F3, 0x3F800000) if single else (0x3FE6A09E00000000, 0x3FF0000000000000)
        tiny = self.compare("olt", x, self.constant(2.0 ** (1 - bias)))
        normal = self.select(tiny, self.mul(x, self.constant(2.0**shift)), x)
        bits = self.cast("bitcast", self.type, normal, self.integers)
        moved = self.on_integers("add", bits, self.integer(one - root_half))
        k = self.on_integers("sub", self.on_integers("lshr", moved, self.integer(shift)), self.integer(bias))
        kept = self.on_integers("and", moved, self.integer((1 << shift) - 1))
        significand = self.cast(
            "bitcast", self.integers, self.on_integers("add", kept, self.integer(root_half)), self.type
        )
        f = self.sub(significand, self.constant(1))
        power = self.cast("sitofp", self.integers, k, self.type)
        power = self.sub(power, self.select(tiny, self.constant(shift), self.constant(0)))
        s = self.binary("fdiv", f, self.add(self.constant(2), f))
        z = self.mul(s, s)
        rest = self.mul(z, self._polynomial(_LOG_SINGLE if single else _LOG_DOUBLE, z))
        half = self.mul(self.constant(0.5), self.mul(f, f))
        ln2_high, ln2_low = (
            (6.9313812256e-01, 9.0580006145e-06) if single else (6.93147180369123816490e-01, 1.90821492927058770002e-10)
        )
        small = self.add(self.mul(s, self.add(half, rest)), self.mul(power, self.constant(ln2_low)))
        value = self.add(self.add(self.sub(small, half), f), self.mul(power, self.constant(ln2_high)))
        infinite = self.compare("oeq", x, self.constant(math.inf))
        value = self.select(infinite, x, value)
        value = self.select(self.compare("uge", x, self.constant(0)), value, self.constant(math.nan))
        return self.select(self.compare("oeq", x, self.constant(0)), self.constant(-math.inf), value)

    def sin(self, x: str) -> str:
        """Return the sine of x, of which |x| is at most some thousands, in double precision a million."""
        return self._of_quadrant(x, 0)

    def cos(self, x: str) -> str:
        """Return the cosine of x: see `sin`."""
        return self._of_quadrant(x, 1)

    def _of_quadrant(self, x: str, ahead: int) -> str:
        """Return the sine of x + ahead pi / 2, x = n pi / 2 + r: the sine or cosine of r, or minus one of them."""
        single = self.bits == 32
        # The last bits of a number that a large one is added to are those of the nearest whole number.
        large = self.constant(1.5 * 2.0 ** (23 if single else 52))
        shifted = self.add(self.mul(x, self.constant(2 / math.pi)), large)
        n = self.sub(shifted, large)
        r = x
        for part in _HALF_PI_SINGLE if single else _HALF_PI_DOUBLE:
            r = self.sub(r, self.mul(n, self.constant(part)))
        z = self.mul(r, r)
        sine = self._polynomial(_SIN_SINGLE if single else _SIN_DOUBLE, z)
        sine = self.add(r, self.mul(self.mul(r, z), sine))
        cosine = self.mul(self.mul(z, z), self._polynomial(_COS_SINGLE if single else _COS_DOUBLE, z))
        cosine = self.add(self.sub(self.constant(1), self.mul(self.constant(0.5), z)), cosine)
        quadrant = self.on_integers("add", self.cast("bitcast", self.type, shifted, self.integers), self.integer(ahead))
        odd = self.put(f"trunc {self.integers} {quadrant} to {self.truths}")
        half = self.on_integers("and", quadrant, self.integer(2))
        sign = self.on_integers("shl", half, self.integer(self.bits - 2))
        value = self.cast("bitcast", self.type, self.select(odd, cosine, sine), self.integers)
        return self.cast("bitcast", self.integers, self.on_integers("xor", value, sign), self.type)

    def atan2(self, y: str, x: str) -> str:
        """Return the angle of the point (x, y) in double precision, -pi to pi; 0 of (0, 0)."""
        assert self.bits == 64
        zero = self.constant(0)
        across, along = self.absolute(y), self.absolute(x)
        steep = self.compare("ogt", across, along)
        less, more = self.select(steep, along, across), self.select(steep, across, along)
        middle = self.compare("ogt", less, self.mul(more, self.constant(math.sqrt(2) - 1)))
        # atan(less / more) = pi / 4 + atan((less - more) / (less + more))
        top = self.select(middle, self.sub(less, more), less)
        below = self.select(middle, self.add(less, more), more)
        q = self.binary("fdiv", top, self.select(self.compare("oeq", below, zero), self.constant(1), below))
        z = self.mul(q, q)
        angle = self.sub(q, self.mul(self.mul(q, z), self._polynomial(_ATAN_DOUBLE, z)))
        angle = self.add(angle, self.select(middle, self.constant(math.pi / 4), zero))
        angle = self.select(steep, self.sub(self.constant(math.pi / 2), angle), angle)
        angle = self.select(self.compare("olt", x, zero), self.sub(self.constant(math.pi), angle), angle)
        return self.select(self.compare("olt", y, zero), self.negative(angle), angle)

    def erf(self, x: str) -> str:
        """Return the error function of x."""
        t, near = self._size_and_whether_below(x, 0.75)
        far = self.with_sign(self.sub(self.constant(1), self._erfc_of_large(t)), x)
        return self.select(near, self._erf_of_small(x), far)

    def erfc(self, x: str) -> str:
        """Return 1 - erf(x), with small errors of small values."""
        t, near = self._size_and_whether_below(x, 0.75)
        tail = self._erfc_of_large(t)
        negative = self.compare("olt", x, self.constant(0))
        far = self.select(negative, self.sub(self.constant(2), tail), tail)
        return self.select(near, self.sub(self.constant(1), self._erf_of_small(x)), far)

    def tanh(self, x: str) -> str:
        """Return the hyperbolic tangent of x."""
        t, near = self._size_and_whether_below(x, 0.625)
        growth = self.add(self.exp(self.add(t, t)), self.constant(1))
        far = self.with_sign(self.sub(self.constant(1), self.binary("fdiv", self.constant(2), growth)), x)
        z = self.mul(x, x)
        rest = self._polynomial(_TANH_SINGLE if self.bits == 32 else _TANH_DOUBLE, z)
        return self.select(near, self.add(x, self.mul(self.mul(x, z), rest)), far)

    def _size_and_whether_below(self, x: str, limit: float) -> tuple[str, str]:
        size = self.absolute(x)
        return size, self.compare("olt", size, self.constant(limit))

    def _erf_of_small(self, x: str) -> str:
        coefficients = _ERF_SINGLE if self.bits == 32 else _ERF_DOUBLE
        return self.mul(x, self._polynomial(coefficients, self.mul(x, x)))

    def _erfc_of_large(self, t: str) -> str:
        """Return erfc of t >= 3/4. exp(-t^2) has the rounding of t^2 as a factor."""
        single = self.bits == 32
        most = self.constant(10.2 if single else 27.5)  # its erfc is 0, or subnormal
        t = self.select(self.compare("ogt", t, most), most, t)
        square = self.mul(t, t)
        lost = self.multiply_add(t, t, self.negative(square))
        gauss = self.mul(self.exp(self.negative(square)), self.sub(self.constant(1), lost))
        middle = self.constant(2.5)
        inverse = self.binary("fdiv", self.constant(1), self.add(t, middle))
        u = self.mul(self.sub(t, middle), inverse)
        return self.mul(self.mul(gauss, inverse), self._polynomial(_ERFC_SINGLE if single else _ERFC_DOUBLE, u))
