#include "trellis/forces/run_time/far_field/written.hpp"

#include <utility>

#include "trellis/forces/run_time/graphs/statements.hpp"

namespace trellis {

namespace {

thread_local Writing* current_writing = nullptr;

}  // namespace

Writing::Writing(bool single) : single_(single), before_(std::exchange(current_writing, this)) { constant(0); }

Writing::~Writing() { current_writing = before_; }

Writing& Writing::current() { return *current_writing; }

Written Writing::added(Value value) {
    values_.push_back(std::move(value));
    return Written(static_cast<std::uint32_t>(values_.size() - 1));
}

Written Writing::named(const std::string& expression) { return added({expression, {}}); }

Written Writing::constant(double value) {
    const auto found = constants_.find(value);
    if (found != constants_.end()) return found->second;
    return constants_[value] = added({constant_text(value, single_), value});
}

Written Writing::apply(const char* expression, const Written& a, const Written& b) {
    const auto [place, is_new] = known_.try_emplace({expression, a.number_, b.number_});
    if (!is_new) return place->second;
    const std::string name = std::string("v").append(std::to_string(values_.size()));
    std::string value;
    for (const char* next = expression; *next != 0; ++next)
        if (*next == '@')
            value += (*this)[*++next == '0' ? a : b];
        else
            value += *next;
    line("const real " + name + " = " + value + ";");
    return place->second = named(name);
}

Written Writing::sum(const Written& a, const Written& b) {
    if (is(a, 0)) return b;
    return is(b, 0) ? a : apply("@0 + @1", a, b);
}

Written Writing::difference(const Written& a, const Written& b) {
    if (is(b, 0)) return a;
    return is(a, 0) ? apply("-@0", b, b) : apply("@0 - @1", a, b);
}

Written Writing::product(const Written& a, const Written& b) {
    if (is(a, 0) || is(b, 0)) return {};
    const auto &x = values_[a.number_].constant, &y = values_[b.number_].constant;
    if (x && y) return constant(*x * *y);
    if (is(a, 1)) return b;
    if (is(b, 1)) return a;
    if (is(a, -1)) return difference({}, b);
    return is(b, -1) ? difference({}, a) : apply("@0 * @1", a, b);
}

Written Writing::rsqrt(const Written& x) {
    return apply("@0 < @1 ? 0 : RSQRT_OF_POSITIVE(@0)", x, constant(single_ ? 0x1p-126 : 0x1p-1022));
}

Written operator+(const Written& a, const Written& b) { return Writing::current().sum(a, b); }
Written operator-(const Written& a, const Written& b) { return Writing::current().difference(a, b); }
Written operator*(const Written& a, const Written& b) { return Writing::current().product(a, b); }
Written operator/(const Written& a, const Written& b) { return Writing::current().apply("@0 / @1", a, b); }
Written operator-(const Written& a) { return Writing::current().product(written_constant(-1), a); }

Written written_constant(double value) { return Writing::current().constant(value); }

Written written_rsqrt(const Written& x) { return Writing::current().rsqrt(x); }

Written lesser(const Written& a, const Written& b) { return Writing::current().apply("@0 < @1 ? @0 : @1", a, b); }

}  // namespace trellis
