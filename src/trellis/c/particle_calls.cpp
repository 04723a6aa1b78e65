#include <string>
#include <string_view>
#include "trellis/c/c_call.hpp"
#include "trellis/c/handles.hpp"

using trellis::carry_out_c;
using trellis::given;
using trellis::InputError;

namespace {

constexpr std::int64_t most_particles = 0xFFFFFFFE;

void check_name(std::string_view name) {
    if (name.empty() || name.find_first_of(" \t\n\v\f\r") != std::string_view::npos)
        throw InputError("name is '" + std::string(name) + "': allowed are names without spaces");
}

}  // namespace

const char* trellis_error() { return trellis::last_sentence().c_str(); }

int trellis_set_threads(int count) {
    return carry_out_c([&] {
        trellis::check_at_least("count", count, 1);
        trellis::set_thread_count(count);
    });
}

int trellis_particles_new(int64_t count, trellis_particles** particles) {
    return carry_out_c([&] {
        if (count < 0 || count > most_particles)
            throw InputError("count is " + std::to_string(count) + ": allowed is 0 to " +
                             std::to_string(most_particles));
        trellis::put_new(particles, "particles",
                         [&] { return std::make_shared<trellis::ParticleSet>(static_cast<std::size_t>(count)); });
    });
}

void trellis_particles_free(trellis_particles* particles) { delete particles; }

int trellis_particles_count(const trellis_particles* particles, int64_t* count) {
    return carry_out_c(
        [&] { given(count, "count") = static_cast<std::int64_t>(given(particles, "particles").set->size()); });
}

int trellis_column(trellis_particles* particles, const char* name, int components, double** values) {
    return carry_out_c([&] {
        check_name(&given(name, "name"));
        if (components != 1 && components != 3)
            throw InputError("components is " + std::to_string(components) + ": allowed are 1 and 3");
        trellis::ParticleSet& set = *given(particles, "particles").set;
        const auto wanted = static_cast<std::size_t>(components);
        if (!set.has(name)) set.add({name, "", "a column of the program", wanted});
        trellis::Column& column = set.column(name);
        if (column.info().integer) throw InputError(std::string("column '") + name + "' has integers, and no doubles");
        if (column.info().components != wanted)
            throw InputError("components is " + std::to_string(components) + ", but column '" + name + "' has " +
                             std::to_string(column.info().components));
        given(values, "values") = column.values();
    });
}

int trellis_ids(trellis_particles* particles, const uint64_t** ids) {
    return carry_out_c(
        [&] { given(ids, "ids") = given(particles, "particles").set->column(trellis::Id::name).integers(); });
}

int trellis_set_box(trellis_particles* particles, const double low[3], const double high[3]) {
    return carry_out_c([&] {
        given(low, "low");
        given(high, "high");
        given(particles, "particles").set->set_region({{low[0], low[1], low[2]}, {high[0], high[1], high[2]}});
    });
}
