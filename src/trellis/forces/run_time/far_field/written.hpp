// Numbers that write what is computed with them as statements of C: expansions, templates over the type of their
// values, become texts (devices/kernel_text.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "trellis/base/math.hpp"

namespace trellis {

// A value in the statements that are being written on this thread; 0 at first.
class Written {
  public:
    Written() = default;
    Written& operator+=(const Written& other) { return *this = *this + other; }
    Written& operator-=(const Written& other) { return *this = *this - other; }
    Written& operator*=(const Written& other) { return *this = *this * other; }
    friend Written operator+(const Written& a, const Written& b);
    friend Written operator-(const Written& a, const Written& b);
    friend Written operator*(const Written& a, const Written& b);
    friend Written operator/(const Written& a, const Written& b);
    friend Written operator-(const Written& a);

  private:
    friend class Writing;
    explicit Written(std::uint32_t number) : number_(number) {}
    std::uint32_t number_ = 0;  // among the values of Writing
};

// 1 / sqrt(x), and 0 where x is 0 or subnormal.
Written written_rsqrt(const Written& x);
Written written_constant(double value);
// The smaller of two values; expansions find it by its argument's type.
Written lesser(const Written& a, const Written& b);

// The functions of MathOf that expansions call.
template <>
struct MathOf<Written> {
    using Argument = Written;
    static Written rsqrt(const Written& x) { return written_rsqrt(x); }
    static Written constant(double value) { return written_constant(value); }
    static Written constant(const Written& value) { return value; }
};

// Statements, to which Written values of this thread add while it lives. Equal operations are one statement; sums with
// 0 and products with 0, 1 and -1 are left out.
class Writing {
  public:
    explicit Writing(bool single);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    // A value that an expression of C has.
    Written named(const std::string& expression);
    // Values that follow each other in an array.
    template <std::size_t Count>
    std::array<Written, Count> array(const std::string& name) {
        std::array<Written, Count> values;
        for (std::size_t k = 0; k < Count; ++k) values[k] = named(name + "[" + std::to_string(k) + "]");
        return values;
    }
    // Adds a statement.
    void line(const std::string& statement) { text_ += "    " + statement + "\n"; }
    // The expression of a value.
    const std::string& operator[](const Written& value) const { return values_[value.number_].text; }
    const std::string& text() const { return text_; }

    // The statements of this thread.
    static Writing& current();
    Written constant(double value);
    Written sum(const Written& a, const Written& b);
    Written difference(const Written& a, const Written& b);
    Written product(const Written& a, const Written& b);
    Written rsqrt(const Written& x);  // see written_rsqrt
    // The value of an expression of two values, at @0 and @1.
    Written apply(const char* expression, const Written& a, const Written& b);

  private:
    struct Value {
        std::string text;
        std::optional<double> constant;
    };
    bool is(const Written& value, double number) const { return values_[value.number_].constant == number; }
    Written added(Value value);

    const bool single_;
    Writing* const before_;  // the statements of this thread until now
    std::string text_;
    std::vector<Value> values_;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, Written> known_;
    std::map<double, Written> constants_;
};

}  // namespace trellis
