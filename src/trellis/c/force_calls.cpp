#include <memory>
#include <string>
#include <utility>

#include "trellis/c/c_call.hpp"
#include "trellis/c/c_interaction.hpp"
#include "trellis/c/c_pair.hpp"
#include "trellis/c/handles.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"

namespace trellis {

namespace {

// Arguments that all calls for a force with a kernel have.
template <class R>
struct ForceOfKernel {
    const trellis_particles* particles;
    const char *i_fields, *j_fields, *results;
    KernelInC<R>* kernel;
    void* of_user;
    trellis_force** force;

    std::shared_ptr<RunTimePair> pair() const {
        given(kernel, "kernel");
        return interaction_of_columns(*given(particles, "particles").set, i_fields, j_fields, results);
    }
    CKernel<R> with_numbers(const RunTimePair& pair) const {
        return {
            kernel,      of_user,    pair.target_components.size(), pair.source_components, pair.outcome_components(),
            pair.summed, pair.raised};
    }
};

template <class R>
constexpr Precision precision_of = std::is_same_v<R, float> ? Precision::single_ : Precision::double_;

template <class R>
void make_tree_force(const ForceOfKernel<R>& call, double theta, int group_size, int leaf_size) {
    const auto pair = call.pair();
    check_at_least("group_size", group_size, 0);
    check_at_least("leaf_size", leaf_size, 0);
    if (pair->summed < pair->outcome_components())
        throw InputError("results names a maximum or minimum: allowed within a cutoff or a search radius");
    if (pair->source_components == 3)
        throw InputError("j_fields names position alone: the field behind it weights the centres of cells");
    set_kernel(*pair, call.with_numbers(*pair));
    ForceSettings settings{.theta = theta == 0 ? 0.5 : theta, .method = Method::tree, .order = 1};
    settings.group_size = static_cast<std::uint32_t>(group_size);
    settings.leaf_size = static_cast<std::uint32_t>(leaf_size);
    settings.precision = precision_of<R>;
    put_new(call.force, "force", [&] { return run_time_tree_force(pair, settings); });
}

template <class R>
void make_short_range_force(const ForceOfKernel<R>& call, std::shared_ptr<RunTimePair> pair, const CKernel<R>& kernel) {
    set_kernel(*pair, kernel);
    put_new(call.force, "force",
            [&] { return run_time_short_range_force(std::move(pair), kernel.cutoff, {.precision = precision_of<R>}); });
}

template <class R>
void make_cutoff_force(const ForceOfKernel<R>& call, double cutoff) {
    const auto pair = call.pair();
    CKernel<R> kernel = call.with_numbers(*pair);
    kernel.cutoff = cutoff;
    make_short_range_force(call, pair, kernel);
}

template <class R>
void make_search_force(const ForceOfKernel<R>& call, const char* radius, int search) {
    const auto pair = call.pair();
    if (search < TRELLIS_GATHER || search > TRELLIS_SYMMETRIC)
        throw InputError("search is " + std::to_string(search) +
                         ": allowed are TRELLIS_GATHER, TRELLIS_SCATTER and TRELLIS_SYMMETRIC");
    constexpr Search searches[] = {Search::gather, Search::scatter, Search::symmetric};
    pair->search = searches[search];
    CKernel<R> kernel = call.with_numbers(*pair);
    const std::string name = &given(radius, "radius");
    if (search != TRELLIS_SCATTER) kernel.radius_of_i = radius_of_i(*pair, name);
    if (search != TRELLIS_GATHER) kernel.radius_of_j = radius_of_j(*pair, name);
    pair->radius = call.particles->set->column(name).info();
    make_short_range_force(call, pair, kernel);
}

}  // namespace

}  // namespace trellis

using namespace trellis;

int trellis_tree_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                       const char* results, trellis_kernel* kernel, void* of_user, double theta, int group_size,
                       int leaf_size, trellis_force** force) {
    const ForceOfKernel<float> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_tree_force(call, theta, group_size, leaf_size); });
}

int trellis_tree_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel_d* kernel, void* of_user, double theta, int group_size,
                         int leaf_size, trellis_force** force) {
    const ForceOfKernel<double> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_tree_force(call, theta, group_size, leaf_size); });
}

int trellis_cutoff_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel* kernel, void* of_user, double cutoff,
                         trellis_force** force) {
    const ForceOfKernel<float> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_cutoff_force(call, cutoff); });
}

int trellis_cutoff_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                           const char* results, trellis_kernel_d* kernel, void* of_user, double cutoff,
                           trellis_force** force) {
    const ForceOfKernel<double> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_cutoff_force(call, cutoff); });
}

int trellis_search_force(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                         const char* results, trellis_kernel* kernel, void* of_user, const char* radius, int search,
                         trellis_force** force) {
    const ForceOfKernel<float> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_search_force(call, radius, search); });
}

int trellis_search_force_d(const trellis_particles* particles, const char* i_fields, const char* j_fields,
                           const char* results, trellis_kernel_d* kernel, void* of_user, const char* radius, int search,
                           trellis_force** force) {
    const ForceOfKernel<double> call{particles, i_fields, j_fields, results, kernel, of_user, force};
    return carry_out_c([&] { make_search_force(call, radius, search); });
}

void trellis_force_free(trellis_force* force) { delete force; }
