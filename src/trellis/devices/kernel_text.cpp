#include "trellis/devices/kernel_text.hpp"

#include <functional>
#include <map>
#include <mutex>

namespace trellis {

namespace {

struct KernelTexts {
    std::mutex mutex;
    std::map<std::string, KernelText, std::less<>> texts;
};

KernelTexts& kernel_texts() {
    static KernelTexts all;
    return all;
}

}  // namespace

void register_kernel_text(const std::string& name, const KernelText& text) {
    const std::scoped_lock lock(kernel_texts().mutex);
    kernel_texts().texts.try_emplace(name, text);
}

const KernelText* find_kernel_text(std::string_view name) {
    const std::scoped_lock lock(kernel_texts().mutex);
    const auto found = kernel_texts().texts.find(name);
    return found == kernel_texts().texts.end() ? nullptr : &found->second;
}

}  // namespace trellis
