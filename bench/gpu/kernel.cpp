// The pair kernel of gravity on a GPU, as a share of the peak that is measured first.
#include <algorithm>
#include <random>
#include <typeinfo>

#include "gpu/peak.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "tests/gpu/python_gravity.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/run_time/run_time_device.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace {

using namespace bench;
using namespace trellis;

constexpr int operations = 23;  // operations of one interaction, by the field's convention

template <class T>
std::span<const std::byte> bytes_of(const T& constants) {
    return std::as_bytes(std::span(&constants, 1));
}

template <class T>
DeviceMemory sent(const std::shared_ptr<Device>& device, Queue& queue, const std::vector<T>& values) {
    DeviceMemory memory(device, values.size() * sizeof(T));
    queue.upload(memory, 0, std::as_bytes(std::span(values)));
    queue.wait();
    return memory;
}

// The shortest of several launches of a kernel, after one that is not counted, in seconds.
double seconds_of(Queue& queue, const std::string& kernel, std::span<const std::byte> constants,
                  std::span<const DeviceMemory* const> memory, std::size_t samples) {
    double shortest = 0;
    for (std::size_t k = 0; k <= samples; ++k) {
        queue.wait();
        queue.take_times();
        queue.launch(kernel, constants, memory);
        queue.wait();
        const double time = queue.take_times().kernel;
        if (k == 1 || (k > 1 && time < shortest)) shortest = time;
    }
    return shortest;
}

// The measured peak in operations a second.
double peak_of(const std::shared_ptr<Device>& device, Queue& queue, std::size_t samples) {
    register_multiply_add();
    const MultiplyAddCall call{132 * 64, 1 << 14, 0.999F};
    const DeviceMemory out(device, std::size_t{call.blocks} * threads * sizeof(float));
    const DeviceMemory* memory[] = {&out};
    const double done = 2.0 * chains * call.rounds * threads * call.blocks;
    return done / seconds_of(queue, multiply_add_kernel, bytes_of(call), memory, samples);
}

// Consecutive groups, each with an interaction list of contiguous or of random rows.
struct Scene {
    std::vector<DeviceGroup> groups;
    std::vector<std::uint32_t> indices;

    Scene(std::uint32_t rows, std::uint32_t size, std::uint32_t length, bool contiguous) {
        std::mt19937 random(1);
        // The number of groups: about 10^10 interactions, and indices that take 1 GB at most.
        const auto count =
            static_cast<std::uint32_t>(std::min({std::uint64_t{10'000'000'000} / size / length,
                                                 std::uint64_t{250'000'000} / length, std::uint64_t{rows} / size}));
        for (std::uint32_t g = 0; g < count; ++g) {
            groups.push_back({g * size, size, 0, 0, g * size, length, indices.size()});
            const auto first = static_cast<std::uint32_t>(random() % (rows - length));
            for (std::uint32_t k = 0; k < length; ++k)
                indices.push_back(contiguous ? first + k : static_cast<std::uint32_t>(random() % rows));
        }
    }
};

class PairBench {
  public:
    PairBench(std::shared_ptr<Device> device, Queue& queue, std::uint32_t rows, std::size_t samples)
        : device_(std::move(device)), queue_(queue), row_count_(rows), samples_(samples) {
        constexpr std::size_t stride = row_stride_of(4);
        std::mt19937 random(2);
        std::uniform_real_distribution<float> uniform(0, 1);
        std::vector<float> values(rows * stride);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t axis = 0; axis < 3; ++axis) values[row * stride + axis] = uniform(random);
            values[row * stride + place_in_row(3)] = 1.0F / static_cast<float>(rows);
        }
        rows_ = sent(device_, queue_, values);
        results_ = DeviceMemory(device_, std::size_t{rows} * 4 * sizeof(float));
    }

    // Interactions a second: with the lists, and with the pairs within each group, which are fewer than those of its
    // list.
    double rate(std::uint32_t size, std::uint32_t length, bool contiguous, bool in_python) {
        const Scene scene(row_count_, size, length, contiguous);
        const DeviceMemory groups = sent(device_, queue_, scene.groups), indices = sent(device_, queue_, scene.indices);
        const struct {
            PairsCall call;
            Gravity gravity;
        } constants{{static_cast<std::uint32_t>(scene.groups.size()), size}, {{1e-6}, 1}};
        const struct {
            PairsCall call;
            double epsilon2;
        } of_python{constants.call, 1e-6};
        const DeviceMemory* memory[] = {&rows_, &groups, &indices, &results_};
        const char* name = in_python ? "python_gravity" : typeid(Gravity).name();
        const double time =
            seconds_of(queue_, pairs_kernel(name, sizeof(float)),
                       in_python ? bytes_of(of_python).first(sizeof(PairsCall) + sizeof(double)) : bytes_of(constants),
                       memory, samples_);
        return static_cast<double>(scene.groups.size()) * size * (length + size - 1.0) / time;
    }

  private:
    std::shared_ptr<Device> device_;
    Queue& queue_;
    std::uint32_t row_count_;
    std::size_t samples_;
    DeviceMemory rows_, results_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"device", "cuda:0", "the GPU"},
                                         {"groups", "64,100,128,256,512,1000", "i-particles in a group"},
                                         {"lengths", "500,1000,2000,4000", "rows on a list"},
                                         {"rows", "4194304", "rows in the table"},
                                         {"samples", "5", "launches of each, of which the shortest counts"}};
    return run(argc, argv, options, [](const Options& given) {
        cuda::register_gravity_pairs();
        register_pair_kernel("python_gravity", std::as_bytes(std::span(python_gravity::softened)), sizeof(float));
        register_pair_kernel("python_gravity", std::as_bytes(std::span(python_gravity::not_softened)), sizeof(double));
        const auto device = open_device(given.texts("device").at(0));
        const auto queue = device->make_queue();
        const double peak = peak_of(device, *queue, given.integer("samples"));
        std::printf(
            "## Pair kernel on a GPU\n\n%s. Measured peak of multiply-adds in single precision: %.1f Tflop/s; "
            "%d operations an interaction. The groups' own pairs count.\n",
            device->description().c_str(), 1e-12 * peak, operations);
        const bool in_python = has_cuda_compiler();
        PairBench bench(device, *queue, given.integers<std::uint32_t>("rows").at(0), given.integer("samples"));
        const Table table({"group", "list", "rows", "G/s", "Tflop/s", "share of peak, %", "in Python, G/s"});
        for (const std::uint32_t size : given.integers<std::uint32_t>("groups"))
            for (const std::uint32_t length : given.integers<std::uint32_t>("lengths"))
                for (const bool contiguous : {true, false}) {
                    const double rate = bench.rate(size, length, contiguous, false);
                    table.row({text("%u", size), text("%u", length), contiguous ? "contiguous" : "anywhere",
                               text("%.1f", 1e-9 * rate), text("%.2f", 1e-12 * operations * rate),
                               text("%.1f", 100 * operations * rate / peak),
                               in_python ? text("%.1f", 1e-9 * bench.rate(size, length, contiguous, true)) : ""});
                }
    });
}
