#include "trellis/c/c_interaction.hpp"

#include <algorithm>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/c/c_call.hpp"
#include "trellis/forces/checks.hpp"

namespace trellis {

namespace {

std::vector<FieldInfo> read_columns(const ParticleSet& particles, const char* argument, const char* names) {
    std::vector<FieldInfo> fields = columns_named(particles, argument, words_of(names, argument));
    if (fields.empty() || fields.front().name != Position::name)
        throw InputError(std::string(argument) + " is '" + std::string(names) + "', but must begin with position");
    return fields;
}

// Sets the results: sums, then maxima (max:NAME), then minima (min:NAME).
void set_outcome(RunTimePair& pair, const ParticleSet& particles, std::vector<std::string> names) {
    std::vector<ResultKind> kinds;
    for (std::string& name : names) {
        kinds.push_back(name.starts_with("max:")   ? ResultKind::maximum
                        : name.starts_with("min:") ? ResultKind::minimum
                                                   : ResultKind::sum);
        if (kinds.back() != ResultKind::sum) name.erase(0, 4);
    }
    if (!std::ranges::is_sorted(kinds))
        throw InputError(
            "results names a sum behind a max: or min:, or a max: behind a min:: allowed are sums, then"
            " max:, then min:");
    pair.outcome = columns_named(particles, "results", names);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k] == ResultKind::sum) pair.summed += pair.outcome[k].components;
        if (kinds[k] == ResultKind::maximum) pair.raised += pair.outcome[k].components;
    }
}

void check_radius(const RunTimePair& pair, bool there, const std::string& name, const char* argument) {
    const auto found = std::ranges::find(pair.fields, name, &FieldInfo::name);
    if (!there || found == pair.fields.end())
        throw InputError("the radius is '" + name + "', which " + argument + " must name for this search");
    if (found->components != 1) throw InputError("the radius is '" + name + "', but must have one component");
}

}  // namespace

std::vector<FieldInfo> columns_named(const ParticleSet& particles, const char* argument,
                                     const std::vector<std::string>& names) {
    std::vector<FieldInfo> fields;
    for (const std::string& name : names) {
        const FieldInfo& field = particles.column(name).info();
        if (field.integer)
            throw InputError(std::string(argument) + " names '" + name + "', which has integers: allowed are doubles");
        if (std::ranges::count(fields, name, &FieldInfo::name) > 0)
            throw InputError(std::string(argument) + " names '" + name + "' twice: allowed is once");
        fields.push_back(field);
    }
    const std::size_t components = components_of(fields);
    if (components > most_run_time_components)
        throw InputError(std::string(argument) + " has " + std::to_string(components) + " components: allowed are " +
                         std::to_string(most_run_time_components));
    return fields;
}

std::shared_ptr<RunTimePair> interaction_of_columns(const ParticleSet& particles, const char* i_fields,
                                                    const char* j_fields, const char* results) {
    auto pair = std::make_shared<RunTimePair>();
    pair->name = "of a kernel in C";
    pair->fields = read_columns(particles, "j_fields", j_fields);
    pair->source_components = components_of(pair->fields);
    for (const FieldInfo& field : read_columns(particles, "i_fields", i_fields)) {
        const std::size_t first = first_component(pair->fields, field.name);
        if (first == components_of(pair->fields)) pair->fields.push_back(field);
        for (std::size_t c = 0; c < field.components; ++c) pair->target_components.push_back(first + c);
    }
    pair->paired = pair->target_components.size();
    set_outcome(*pair, particles, words_of(results, "results"));
    if (pair->outcome.empty()) throw InputError("results names no column: allowed is one or more");
    for (const FieldInfo& field : pair->outcome) {
        if (std::ranges::count(pair->fields, field.name, &FieldInfo::name) > 0)
            throw InputError("results names '" + field.name + "', which the kernel reads: allowed are other columns");
        if (field.name == Velocity::name || field.name == Mass::name)
            throw InputError("results names '" + field.name + "', which steps need: allowed are other columns");
    }
    pair->strength = 3;
    return pair;
}

std::size_t radius_of_i(const RunTimePair& pair, const std::string& field) {
    const auto found = std::ranges::find(pair.target_components, first_component(pair.fields, field));
    check_radius(pair, found != pair.target_components.end(), field, "i_fields");
    return static_cast<std::size_t>(found - pair.target_components.begin());
}

std::size_t radius_of_j(const RunTimePair& pair, const std::string& field) {
    const std::size_t first = first_component(pair.fields, field);
    check_radius(pair, first < pair.source_components, field, "j_fields");
    return first;
}

}  // namespace trellis
