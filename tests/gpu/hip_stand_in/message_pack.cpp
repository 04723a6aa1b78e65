#include "hip_stand_in/message_pack.hpp"

#include <stdexcept>

namespace hip_stand_in {

namespace {

// https://github.com/msgpack/msgpack/blob/master/spec.md
class Unpacker {
  public:
    explicit Unpacker(std::span<const std::byte> bytes) : left_(bytes) {}

    PackedValue value() {
        const auto type = static_cast<unsigned>(number(1));
        if (type < 0x80) return {type, {}, {}, {}};
        if (type < 0x90) return fields(type & 0xf);
        if (type < 0xa0) return list(type & 0xf);
        if (type < 0xc0) return text(type & 0x1f);
        switch (type) {
            case 0xc2:
                return {0, {}, {}, {}};  // false
            case 0xc3:
                return {1, {}, {}, {}};  // true
            case 0xcc:
                return {number(1), {}, {}, {}};
            case 0xcd:
                return {number(2), {}, {}, {}};
            case 0xce:
                return {number(4), {}, {}, {}};
            case 0xcf:
                return {number(8), {}, {}, {}};
            case 0xd9:
                return text(number(1));
            case 0xda:
                return text(number(2));
            case 0xdc:
                return list(number(2));
            case 0xde:
                return fields(number(2));
            default:
                throw std::runtime_error("a code object has data of an unknown type");
        }
    }

  private:
    std::span<const std::byte> taken(std::uint64_t bytes) {
        if (bytes > left_.size()) throw std::runtime_error("the data of a code object end too early");
        const auto first = left_.first(bytes);
        left_ = left_.subspan(bytes);
        return first;
    }
    std::uint64_t number(std::uint64_t bytes) {
        std::uint64_t value = 0;
        for (const std::byte each : taken(bytes)) value = value << 8 | static_cast<std::uint64_t>(each);
        return value;
    }
    PackedValue text(std::uint64_t bytes) {
        const auto all = taken(bytes);
        return {0, {reinterpret_cast<const char*>(all.data()), all.size()}, {}, {}};
    }
    PackedValue list(std::uint64_t count) {
        PackedValue made;
        for (; count > 0; --count) made.list.push_back(value());
        return made;
    }
    PackedValue fields(std::uint64_t count) {
        PackedValue made;
        for (; count > 0; --count) {
            const std::string key = value().text;
            made.fields[key] = value();
        }
        return made;
    }

    std::span<const std::byte> left_;
};

}  // namespace

PackedValue unpacked(std::span<const std::byte> bytes) { return Unpacker(bytes).value(); }

}  // namespace hip_stand_in
