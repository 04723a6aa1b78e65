#include "trellis/devices/remote/client/calls.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace trellis::wire {

namespace {

// The members of a call or an answer, in the order in which they are written.
auto members(auto& it) {
    using T = std::remove_cvref_t<decltype(it)>;
    if constexpr (std::is_same_v<T, OpenDevice>)
        return std::tie(it.name, it.memory_wanted);
    else if constexpr (std::is_same_v<T, CloseDevice> || std::is_same_v<T, ListDevices>)
        return std::tie();
    else if constexpr (std::is_same_v<T, MakeQueue> || std::is_same_v<T, EndQueue> || std::is_same_v<T, Notify>)
        return std::tie(it.queue);
    else if constexpr (std::is_same_v<T, Allocate>)
        return std::tie(it.memory, it.bytes);
    else if constexpr (std::is_same_v<T, Release>)
        return std::tie(it.memory);
    else if constexpr (std::is_same_v<T, Upload> || std::is_same_v<T, Download>)
        return std::tie(it.queue, it.memory, it.offset, it.bytes);
    else if constexpr (std::is_same_v<T, UploadDelta>)
        return std::tie(it.queue, it.memory, it.offset, it.bytes, it.packed, it.value_bytes, it.values, it.split,
                        it.former);
    else if constexpr (std::is_same_v<T, Launch>)
        return std::tie(it.queue, it.kernel, it.constants, it.memory);
    else if constexpr (std::is_same_v<T, MakeKernel>)
        return std::tie(it.kernel, it.graph);
    else if constexpr (std::is_same_v<T, After>)
        return std::tie(it.queue, it.other, it.number);
    else if constexpr (std::is_same_v<T, Opened>)
        return std::tie(it.description, it.memory, it.queues_wanted);
    else if constexpr (std::is_same_v<T, Failed>)
        return std::tie(it.failure);
    else if constexpr (std::is_same_v<T, Downloaded>)
        return std::tie(it.queue, it.number, it.bytes);
    else if constexpr (std::is_same_v<T, Devices>)
        return std::tie(it.entries);
    else if constexpr (std::is_same_v<T, LentDevice>)
        return std::tie(it.name, it.description, it.memory, it.left, it.users);
    else
        return std::tie(it.queue, it.number, it.times.upload, it.times.kernel, it.times.download, it.times.bytes_up,
                        it.times.bytes_down, it.times.kernels);
}

template <class T>
    requires std::is_arithmetic_v<T>
void put_value(ByteWriter& body, T value) {
    body.put(value);
}
void put_value(ByteWriter& body, const std::string& text) { body.put_counted(std::span(text.data(), text.size())); }
template <class T>
void put_value(ByteWriter& body, const std::vector<T>& values) {
    body.put_counted(std::span(values));
}
void put_value(ByteWriter& body, const std::map<std::string, double, std::less<>>& values) {
    body.put(static_cast<std::uint32_t>(values.size()));
    for (const auto& [name, value] : values) {
        put_value(body, name);
        body.put(value);
    }
}

void put_value(ByteWriter& body, const std::vector<LentDevice>& entries) {
    body.put(static_cast<std::uint32_t>(entries.size()));
    for (const LentDevice& entry : entries)
        std::apply([&](const auto&... parts) { (put_value(body, parts), ...); }, members(entry));
}

template <class T>
    requires std::is_arithmetic_v<T>
void get_value(ByteReader& body, T& value) {
    value = body.get<T>();
}
void get_value(ByteReader& body, std::string& text) {
    const std::vector<char> characters = body.get_counted<char>();
    text.assign(characters.begin(), characters.end());
}
template <class T>
void get_value(ByteReader& body, std::vector<T>& values) {
    values = body.get_counted<T>();
}
void get_value(ByteReader& body, std::map<std::string, double, std::less<>>& values) {
    for (auto left = body.get<std::uint32_t>(); left > 0; --left) {
        std::string name;
        get_value(body, name);
        values[name] = body.get<double>();
    }
}
void get_value(ByteReader& body, std::vector<LentDevice>& entries) {
    for (auto left = body.get<std::uint32_t>(); left > 0; --left)
        std::apply([&](auto&... parts) { (get_value(body, parts), ...); }, members(entries.emplace_back()));
}

template <class Variant>
void put_any(ByteWriter& body, const Variant& value) {
    body.put(static_cast<std::uint8_t>(value.index()));
    std::visit(
        [&](const auto& one) {
            std::apply([&](const auto&... parts) { (put_value(body, parts), ...); }, members(one));
        },
        value);
}

template <class Variant, std::size_t... K>
Variant get_any(ByteReader& body, std::index_sequence<K...>) {
    const auto index = body.get<std::uint8_t>();
    Variant value;
    const auto read = [&](auto number) {
        if (index != number) return false;
        auto& one = value.template emplace<decltype(number)::value>();
        std::apply([&](auto&... parts) { (get_value(body, parts), ...); }, members(one));
        return true;
    };
    if (!(read(std::integral_constant<std::size_t, K>{}) || ...))
        throw RunError("a message has a call or an answer of unknown type " + std::to_string(index));
    return value;
}

}  // namespace

void put(ByteWriter& body, const Call& call) { put_any(body, call); }
void put(ByteWriter& body, const Answer& answer) { put_any(body, answer); }

Call get_call(ByteReader& body) { return get_any<Call>(body, std::make_index_sequence<std::variant_size_v<Call>>()); }
Answer get_answer(ByteReader& body) {
    return get_any<Answer>(body, std::make_index_sequence<std::variant_size_v<Answer>>());
}

}  // namespace trellis::wire
