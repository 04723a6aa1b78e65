#include "trellis/run/spares.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "trellis/devices/remote/open.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

std::string name_of(const Device* device) { return device == nullptr ? "host" : device->name(); }

}  // namespace

void Spares::set(std::vector<std::string> names, std::size_t memory) {
    names_ = std::move(names);
    memory_ = memory;
}

bool Spares::replace(const std::vector<Force*>& failed, Comm& comm) {
    const int replaced = replace_here(failed) ? 1 : 0;
    return all_reduce(comm, replaced, [](int a, int b) { return std::min(a, b); }) == 1;
}

bool Spares::replace_here(const std::vector<Force*>& failed) {
    std::map<const Device*, std::shared_ptr<Device>> spare_of;
    for (Force* force : failed) {
        const Device* const before = force->device();
        while (!spare_of.contains(before)) {
            if (names_.empty()) return false;
            const std::string name = names_.front();
            names_.erase(names_.begin());
            try {
                spare_of[before] = name == "host" ? nullptr : open_device(name, memory_);
                notes_.push_back("device " + name_of(before) + " has failed: " + name + " takes its place");
            } catch (const std::runtime_error& error) {
                notes_.push_back("the spare device " + name + " cannot be had: " + error.what());
            }
        }
        force->use_device(spare_of[before]);
    }
    return true;
}

std::vector<std::string> Spares::take_notes() { return std::exchange(notes_, {}); }

}  // namespace trellis
