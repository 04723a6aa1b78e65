#include "trellis/forces/run_time/linked_interaction.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "trellis/base/error.hpp"
#include "trellis/forces/run_time/function_names.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

namespace {

// The description is written and read by one text: each member is passed to archive(member), in the same order.
class Writing {
  public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void operator()(const T& value) {
        bytes_.put(value);
    }
    void operator()(const std::string& text) { bytes_.put_counted(std::span<const char>(text)); }
    template <class T>
    void operator()(const std::vector<T>& values) {
        bytes_.put(std::uint64_t{values.size()});
        for (const T& each : values) (*this)(each);
    }
    void operator()(const FieldInfo& field) {
        (*this)(field.name);
        (*this)(field.unit);
        (*this)(field.meaning);
        (*this)(field.components);
    }
    void operator()(const std::pair<FieldInfo, FieldInfo>& both) {
        (*this)(both.first);
        (*this)(both.second);
    }
    std::vector<std::byte> take() { return bytes_.take(); }

  private:
    ByteWriter bytes_;
};

class Reading {
  public:
    explicit Reading(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    void operator()(T& value) {
        value = bytes_.get<T>();
    }
    void operator()(std::string& text) {
        const std::vector<char> letters = bytes_.get_counted<char>();
        text.assign(letters.begin(), letters.end());
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        values.clear();
        for (auto left = bytes_.get<std::uint64_t>(); left > 0; --left) (*this)(values.emplace_back());
    }
    void operator()(FieldInfo& field) {
        (*this)(field.name);
        (*this)(field.unit);
        (*this)(field.meaning);
        (*this)(field.components);
    }
    void operator()(std::pair<FieldInfo, FieldInfo>& both) {
        (*this)(both.first);
        (*this)(both.second);
    }

  private:
    ByteReader bytes_;
};

template <class Archive, class Pair>
void each_member(Archive& archive, Pair& pair) {
    archive(pair.name);
    archive(pair.fields);
    archive(pair.source_components);
    archive(pair.target_components);
    archive(pair.paired);
    archive(pair.finishing);
    archive(pair.outcome);
    archive(pair.summed);
    archive(pair.raised);
    archive(pair.sums_over_pairs);
    archive(pair.evolves);
    archive(pair.strength);
    archive(pair.search);
    archive(pair.parameters);
    archive(pair.parameter_names);
    archive(pair.tabled);
    archive(pair.row_values);
    archive(pair.row_kinds);
    archive(pair.table_end);
    archive(pair.kernel_name);
    archive(pair.graph);
    archive(pair.far_graph);
}

// The settings of a force. radius: the name of the field that is the search radius, or empty.
struct Range {
    bool is_short = false;
    double cutoff = 0;
    std::string radius = {};
    ForceSettings tree = {};
    Lists lists = Lists::reuse;
    std::uint32_t reuse_steps = 0, group_size = 0;
    double skin_ratio = -1;  // below 0: not given
    Precision precision = Precision::automatic;
};

template <class Archive, class ARange>
void each_member_of_range(Archive& archive, ARange& range) {
    archive(range.is_short);
    archive(range.cutoff);
    archive(range.radius);
    archive(range.tree);
    archive(range.lists);
    archive(range.reuse_steps);
    archive(range.group_size);
    archive(range.skin_ratio);
    archive(range.precision);
}

std::vector<std::byte> written(const RunTimePair& pair, const Range& range) {
    Writing archive;
    archive(std::string(TRELLIS_VERSION));
    each_member(archive, pair);
    each_member_of_range(archive, range);
    return archive.take();
}

ShortRangeSettings short_range_settings(const Range& range, const Devices& devices) {
    ShortRangeSettings settings{.lists = range.lists, .reuse_steps = range.reuse_steps, .group_size = range.group_size};
    if (range.skin_ratio >= 0) settings.skin_ratio = range.skin_ratio;
    settings.precision = range.precision;
    settings.device = devices;
    return settings;
}

void take_functions(RunTimePair& pair, const AnyFunction* functions) {
    each_function(pair, [&](auto& function, const std::string&) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(*functions++);
    });
}

// The functions of the instruction set in use.
const AnyFunction* functions_of(const LinkedInteraction& linked) {
    const std::size_t bytes = run_time_machine().vector_bytes;
    return linked.functions_of_set[bytes == 64 ? 2 : bytes == 32 ? 1 : 0];
}

// Numbers that a program gives in place of those in Python.
class OtherNumbers {
  public:
    OtherNumbers(RunTimePair& pair, Range& range) : pair_(pair), range_(range) {}

    void take(const std::string& name, double value) {
        if (!std::isfinite(value))
            throw InputError(name + " of " + pair_.name + " is " + to_text(value) + ": allowed is a finite number");
        const auto found = std::ranges::find(pair_.parameter_names, name);
        const bool known = found != pair_.parameter_names.end();
        if (known) pair_.parameters[static_cast<std::size_t>(found - pair_.parameter_names.begin())] = value;
        if (known && name == "cutoff") range_.cutoff = value;
        if (!known && !is_setting(name)) throw InputError(pair_.name + " has no '" + name + "': allowed are " + all());
        if (name == "theta") range_.tree.theta = value;
        if (name == "accuracy") range_.tree.accuracy = value, range_.tree.theta = 0;
    }

  private:
    bool is_setting(const std::string& name) const {
        return !range_.is_short && (name == "theta" || (name == "accuracy" && pair_.expandable()));
    }
    std::string all() const {
        std::string names;
        for (const std::string& each : pair_.parameter_names) names += each + ", ";
        if (range_.is_short) return names.substr(0, names.size() - 2);
        return names + (pair_.expandable() ? "theta and accuracy" : "theta");
    }

    RunTimePair& pair_;
    Range& range_;
};

}  // namespace

std::vector<std::string> linked_functions() {
    std::vector<std::string> names;
    RunTimePair pair;
    each_function(pair, [&](const auto&, const std::string& name) { names.push_back(name); });
    return names;
}

std::vector<std::byte> description_of(const RunTimePair& pair, const ForceSettings& settings) {
    return written(pair, {.tree = settings});
}

std::vector<std::byte> description_of(const RunTimePair& pair, double cutoff, const ShortRangeSettings& settings) {
    if (!settings.exclude.empty())
        throw InputError("exclude of " + pair.name + " names particles: an object file holds none of them");
    return written(pair, {.is_short = true,
                          .cutoff = cutoff,
                          .radius = pair.radius ? pair.radius->name : "",
                          .lists = settings.lists,
                          .reuse_steps = settings.reuse_steps,
                          .group_size = settings.group_size,
                          .skin_ratio = settings.skin_ratio.value_or(-1),
                          .precision = settings.precision});
}

std::unique_ptr<Force> linked_force(const LinkedInteraction& linked,
                                    std::span<const std::pair<std::string, double>> numbers, const Devices& devices) {
    Reading archive({linked.description, linked.bytes});
    std::string version;
    archive(version);
    if (version != TRELLIS_VERSION)
        throw InputError("an interaction was written into its object file by Trellis " + version +
                         ": this is " TRELLIS_VERSION ", by which it must be written again");
    const auto pair = std::make_shared<RunTimePair>();
    Range range;
    each_member(archive, *pair);
    each_member_of_range(archive, range);
    const auto radius = std::ranges::find(pair->fields, range.radius, &FieldInfo::name);
    if (radius != pair->fields.end()) pair->radius = *radius;
    take_functions(*pair, functions_of(linked));
    OtherNumbers others(*pair, range);
    for (const auto& [name, value] : numbers) others.take(name, value);
    if (!range.is_short) return run_time_tree_force(pair, range.tree, devices);
    if (range.cutoff > pair->table_end)
        throw InputError("cutoff of " + pair->name + " is " + to_text(range.cutoff) + ", but its table ends at " +
                         to_text(pair->table_end) + ": allowed is that at most");
    return run_time_short_range_force(pair, range.cutoff, short_range_settings(range, devices));
}

}  // namespace trellis
