#include "trellis/forces/run_time/graphs/statements.hpp"

#include <cmath>
#include <cstdio>

namespace trellis {

namespace {

// The statement of each operation, by its number; @0 is the first argument.
constexpr const char* statement_texts[] = {"",
                                           "",
                                           "",
                                           "",  // leaves
                                           "@0 + @1",
                                           "@0 - @1",
                                           "@0 * @1",
                                           "@one / @0",
                                           "@0 < @smallest ? @zero : RSQRT_OF_POSITIVE(@0)",
                                           "RSQRT_OF_POSITIVE(@0)",
                                           "exp(@0)",
                                           "log(@0)",
                                           "sin(@0)",
                                           "cos(@0)",
                                           "atan2(@0, @1)",
                                           "fabs(@0)",
                                           "@1 < @0 ? @1 : @0",
                                           "@0 < @1 ? @1 : @0",
                                           "@0 < @1",
                                           "@0 <= @1",
                                           "@0 == @1",
                                           "@0 && @1",
                                           "@0 || @1",
                                           "!@0",
                                           "@0 ? @1 : @2",
                                           "floor(@0)",
                                           "entry_of(@0 + @column)",
                                           "erf(@0)",
                                           "erfc(@0)",
                                           "tanh(@0)"};

}  // namespace

std::string replaced(std::string text, const std::map<std::string, std::string>& values) {
    for (const auto& [key, value] : values)
        for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
            text.replace(at, key.size(), value);
    return text;
}

std::string constant_text(double value, bool single) {
    const std::string real = single ? "((float)" : "((double)";
    if (single) value = static_cast<double>(static_cast<float>(value));
    if (std::isnan(value)) return real + "(INFINITE - INFINITE))";
    if (std::isinf(value)) return real + (value < 0 ? "-INFINITE)" : "INFINITE)");
    char text[64];
    std::snprintf(text, sizeof text, single ? "(%af)" : "(%a)", value);
    return text;
}

void Statements::add(std::span<const std::uint32_t> nodes, const Read& read) {
    for (const std::uint32_t number : nodes) {
        if (names_.contains(number)) continue;
        const GraphNode& node = graph_.nodes[number];
        if (node.is_constant()) {
            name(number, constant_text(node.value, single_));
            continue;
        }
        const std::string own = std::string("v").append(std::to_string(names_.size()));
        line(std::string("const ") + type_of(number) + " " + own + " = " + value_of(node, read) + ";");
        name(number, own);
    }
}

const char* Statements::type_of(std::uint32_t node) const {
    return graph_.nodes[node].is_condition() ? "int" : single_ ? "float" : "double";
}

std::string Statements::value_of(const GraphNode& node, const Read& read) const {
    const auto arguments = node.arguments();
    if (arguments.empty()) return read(node);
    std::map<std::string, std::string> values{{"@zero", constant_text(0, single_)},
                                              {"@one", constant_text(1, single_)},
                                              {"@smallest", constant_text(single_ ? 0x1p-126 : 0x1p-1022, single_)}};
    if (node.operation == Operation::entry)
        values["@column"] = constant_text(static_cast<double>(node.number) - graph_.first_entry, single_);
    for (std::size_t k = 0; k < arguments.size(); ++k)
        values[std::string("@").append(std::to_string(k))] = names_.at(arguments[k]);
    return replaced(statement_texts[static_cast<std::size_t>(node.operation)], values);
}

}  // namespace trellis
