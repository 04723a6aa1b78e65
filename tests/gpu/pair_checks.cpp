#include "pair_checks.hpp"
#include <typeinfo>

#include "hand_made_lists.hpp"
#include "python_gravity.hpp"
#include "trellis/forces/run_time/run_time_device.hpp"

using namespace trellis;

namespace {

// The constants of pairs_kernel(...) for gravity in C++, and as an interaction in Python.
struct GravityCall {
    PairsCall call;
    Gravity gravity;
};
struct PythonCall {
    PairsCall call;
    double epsilon2;
    static constexpr std::size_t bytes = sizeof(PairsCall) + sizeof(double);  // without what aligns it
};

enum class Language { cpp, python };

template <class T>
std::span<const std::byte> bytes_of(const T& constants) {
    return std::as_bytes(std::span(&constants, 1));
}

template <class T>
DeviceMemory sent(const std::shared_ptr<Device>& device, Queue& queue, const std::vector<T>& values) {
    DeviceMemory memory(device, values.size() * sizeof(T));
    queue.upload(memory, 0, std::as_bytes(std::span(values)));
    return memory;
}

// Expanded lists and forces, computed by the device.
template <class R>
struct Computed {
    std::vector<std::uint32_t> indices;
    std::vector<R> results;
};

template <class R>
Computed<R> compute(const std::shared_ptr<Device>& device, const HandMadeLists& lists, double epsilon2,
                    Language language) {
    const auto queue = device->make_queue();
    Computed<R> computed{std::vector<std::uint32_t>(lists.indices().size()), std::vector<R>(4 * lists.result_count())};
    const std::vector<R> all_rows = lists.template rows<R>();
    const DeviceMemory rows = sent(device, *queue, all_rows), groups = sent(device, *queue, lists.groups()),
                       ranges = sent(device, *queue, lists.ranges());
    const DeviceMemory indices(device, computed.indices.size() * sizeof(std::uint32_t));
    const DeviceMemory results(device, computed.results.size() * sizeof(R));

    const auto group_count = static_cast<std::uint32_t>(lists.groups().size());
    const DeviceMemory* to_expand[] = {&groups, &ranges, &indices};
    queue->launch(expand_lists_kernel, bytes_of(ListsCall{group_count}), to_expand);
    const PairsCall call{group_count, lists.groups().front().count};
    const GravityCall in_cpp{call, {{epsilon2}, 1}};
    const PythonCall in_python{call, epsilon2};
    const DeviceMemory* to_sum[] = {&rows, &groups, &indices, &results};
    if (language == Language::cpp)
        queue->launch(pairs_kernel(typeid(Gravity).name(), sizeof(R)), bytes_of(in_cpp), to_sum);
    else
        queue->launch(pairs_kernel("python_gravity", sizeof(R)), bytes_of(in_python).first(PythonCall::bytes), to_sum);
    queue->download(indices, 0, std::as_writable_bytes(std::span(computed.indices)));
    queue->download(results, 0, std::as_writable_bytes(std::span(computed.results)));
    queue->wait();
    return computed;
}

template <class R>
void check(Checks& checks, const std::shared_ptr<Device>& device, const HandMadeLists& lists, double epsilon2,
           const std::string& what, Language language) {
    const Computed<R> computed = compute<R>(device, lists, epsilon2, language);
    const double allowed = sizeof(R) == sizeof(float) ? 3e-5 : 1e-13;
    const double error = lists.worst_error(computed.results, epsilon2);
    checks.that(computed.indices == lists.indices(), what + ", lists written out");
    checks.that(error <= allowed, what + ", forces",
                "largest error " + std::to_string(1e6 * error) + "e-6");  // false for NaN
    const Computed<R> again = compute<R>(device, lists, epsilon2, language);
    checks.that(again.results == computed.results, what + ", the same bits again");
}

template <class R>
void check_in(Checks& checks, const std::shared_ptr<Device>& device, bool small, Language language) {
    const std::string precision = std::string(language == Language::cpp ? "" : "in Python, ") +
                                  (sizeof(R) == sizeof(float) ? "single" : "double");
    // Single precision assumes groups that are small compared with the distances of pairs. These are not, so the
    // softening limits the error.
    constexpr double epsilon2 = 1e-2;
    const std::vector<std::uint32_t> all_sizes = {1, 2, 3, 31, 32, 33, 64, 70, 100, 255, 256, 257, 300, 1100};
    const std::vector<std::uint32_t> few_sizes = {1, 33, 70, 257};
    for (const std::uint32_t size : small ? few_sizes : all_sizes) {
        const std::uint32_t groups = small ? 3 : 24;
        const std::string what = precision + ", groups of " + std::to_string(size);
        const std::uint32_t particles = groups * size + 1000;
        check<R>(checks, device, HandMadeLists(particles, size, groups, 10), epsilon2, what, language);
        check<R>(checks, device, HandMadeLists(particles, size, groups, 1e4), epsilon2, what + " far from the origin",
                 language);
    }
    if (language == Language::python && sizeof(R) == sizeof(float))
        return;  // its kernel is for particles with a softening
    HandMadeLists touching(3000, 64, 3, 10);
    touching.put_two_at_one_place();
    check<R>(checks, device, touching, 0, precision + ", two at one place", language);
}

}  // namespace

void check_pairs(Checks& checks, const std::shared_ptr<Device>& device, bool small) {
    check_in<float>(checks, device, small, Language::cpp);
    check_in<double>(checks, device, small, Language::cpp);
    if (!compiles_texts(*device)) return;
    register_pair_kernel("python_gravity", std::as_bytes(std::span(python_gravity::softened)), sizeof(float));
    register_pair_kernel("python_gravity", std::as_bytes(std::span(python_gravity::not_softened)), sizeof(double));
    check_in<float>(checks, device, true, Language::python);
    check_in<double>(checks, device, true, Language::python);
}
