#include "trellis/devices/kernel_text.hpp"

#include <deque>
#include <map>
#include <mutex>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

struct KernelTexts {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const KernelText>, std::less<>> texts;
};

KernelTexts& kernel_texts() {
    static KernelTexts all;
    return all;
}

// The last kernels, which are kept although none of the clients may use them: a client often comes back.
constexpr std::size_t most_kept_kernels = 64;

struct GraphKernels {
    std::mutex mutex;
    MakeGraphKernel make = nullptr;
    std::map<std::string, std::weak_ptr<const GraphKernel>> made;  // by the bytes of graphs
    std::deque<std::shared_ptr<const GraphKernel>> kept;
};

GraphKernels& graph_kernels() {
    static auto& all = *new GraphKernels;  // kernels may be released when the program ends
    return all;
}

}  // namespace

void register_kernel_text(const std::string& name, const std::shared_ptr<const KernelText>& text) {
    const std::scoped_lock lock(kernel_texts().mutex);
    kernel_texts().texts.try_emplace(name, text);
}

std::shared_ptr<const KernelText> find_kernel_text(std::string_view name) {
    const std::scoped_lock lock(kernel_texts().mutex);
    const auto found = kernel_texts().texts.find(name);
    return found == kernel_texts().texts.end() ? nullptr : found->second;
}

void provide_graph_kernels(MakeGraphKernel make) {
    const std::scoped_lock lock(graph_kernels().mutex);
    graph_kernels().make = make;
}

std::shared_ptr<const GraphKernel> kernel_of_graph(std::span<const std::byte> graph) {
    GraphKernels& all = graph_kernels();
    const std::scoped_lock lock(all.mutex);
    if (all.make == nullptr) throw InputError("no kernels are made of graphs here");
    const std::string key(reinterpret_cast<const char*>(graph.data()), graph.size());
    const auto found = all.made.find(key);
    std::shared_ptr<const GraphKernel> kernel = found == all.made.end() ? nullptr : found->second.lock();
    if (kernel != nullptr) return kernel;
    kernel = std::make_shared<const GraphKernel>(all.make(graph));
    all.kept.push_back(kernel);
    if (all.kept.size() > most_kept_kernels) all.kept.pop_front();
    std::erase_if(all.made, [](const auto& each) { return each.second.expired(); });
    all.made[key] = kernel;
    return kernel;
}

}  // namespace trellis
