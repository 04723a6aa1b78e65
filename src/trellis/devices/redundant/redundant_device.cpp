#include "trellis/devices/redundant/redundant_device.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/redundant/compared_queue.hpp"

namespace trellis {

namespace {

using Members = RedundantDevice::Members;

// Memory of a redundant device: its address is that of this vector, with the memory of each member.
using Parts = std::vector<DeviceMemory>;

std::string joined_names(const Members& members) {
    std::string names;
    for (const auto& member : members) names.append(names.empty() ? "" : joins_names).append(member->name());
    return names;
}

template <class Value>
std::size_t least(const Members& members, const Value& value) {
    return value(**std::ranges::min_element(members, {}, [&](const auto& member) { return value(*member); }));
}

}  // namespace

RedundantDevice::RedundantDevice(Members members, std::shared_ptr<SpareDevices> spares,
                                 std::optional<Mismatch> mismatch)
    : members_(std::move(members)),
      name_(joined_names(members_)),
      spares_(std::move(spares)),
      mismatch_(std::move(mismatch)) {}

std::string RedundantDevice::description() const {
    return members_.front()->description() + ", " + std::to_string(members_.size()) + " times, compared";
}

std::size_t RedundantDevice::memory_bytes() const {
    return least(members_, [](const Device& member) { return member.memory_bytes(); });
}

std::size_t RedundantDevice::memory_left() const {
    return least(members_, [](const Device& member) { return member.memory_left(); });
}

std::size_t RedundantDevice::queues_wanted() const {
    return least(members_, [](const Device& member) { return member.queues_wanted(); });
}

std::unique_ptr<Queue> RedundantDevice::make_queue() { return std::make_unique<ComparedQueue>(*this); }

std::shared_ptr<Device> RedundantDevice::successor(std::string_view failed) {
    if (const auto known = successors_.find(failed); known != successors_.end()) return known->second;
    const bool of_these = std::ranges::any_of(members_, [&](const auto& each) { return each->name() == failed; });
    if (failed != name_ && !of_these) return shared_from_this();
    return successors_[std::string(failed)] = of_these ? without(failed) : with_a_third();
}

std::shared_ptr<Device> RedundantDevice::without(std::string_view failed) {
    spares_->remove(failed);
    Members rest = members_;
    std::erase_if(rest, [&](const auto& each) { return each->name() == failed; });
    if (rest.size() == 1) {
        if (std::shared_ptr<Device> another = spares_->of_kind(rest)) rest.push_back(std::move(another));
    }
    if (rest.size() > 1) return std::make_shared<RedundantDevice>(std::move(rest), spares_);
    spares_->note_alone(rest.front()->name());
    return rest.front();
}

std::shared_ptr<Device> RedundantDevice::with_a_third() {
    if (members_.size() > 2) return nullptr;
    std::shared_ptr<Device> third = spares_->of_kind(members_);
    if (third == nullptr) return nullptr;
    Members three = members_;
    three.push_back(std::move(third));
    return std::make_shared<RedundantDevice>(std::move(three), spares_, mismatch_);
}

void RedundantDevice::compare(std::span<const std::span<const std::byte>> results) {
    const auto same = [&](std::size_t a, std::size_t b) { return std::ranges::equal(results[a], results[b]); };
    const bool all_same = same(0, 1) && (results.size() < 3 || same(0, 2));
    if (!all_same && members_.size() == 2) {
        mismatch_.emplace(std::array{members_[0]->name(), members_[1]->name()}, std::array{results[0], results[1]});
        fail(name_, "gave two results that differ; only a third device of the kind can decide which is right");
    }
    for (std::size_t k = 0; !all_same && k < 3; ++k)
        if (same((k + 1) % 3, (k + 2) % 3)) fail(members_[k]->name(), "gave another result than " + names_but(k));
    if (!all_same) fail(name_, "gave three results that all differ");
    if (!mismatch_) return;
    const std::optional<std::string> faulty = mismatch_->faulty_device(results[0]);
    if (!faulty) return;
    const auto which = std::ranges::find(members_, *faulty, [](const auto& member) { return member->name(); });
    fail(*faulty, "gave another result than " + names_but(static_cast<std::size_t>(which - members_.begin())));
}

std::string RedundantDevice::names_but(std::size_t k) const {
    Members others = members_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    return others[0]->name() + " and " + others[1]->name();
}

void RedundantDevice::fail(const std::string& device, const std::string& failure) {
    throw DeviceError(failure_.emplace(device, failure));
}

void RedundantDevice::throw_failure() const {
    if (failure_) throw DeviceError(*failure_);
}

const DeviceMemory& RedundantDevice::part(const DeviceMemory& memory, std::size_t k) {
    static const DeviceMemory none;
    return memory.bytes() == 0 ? none : reinterpret_cast<const Parts*>(memory.address())->at(k);
}

std::byte* RedundantDevice::allocate(std::size_t bytes) {
    auto parts = std::make_unique<Parts>();
    for (const auto& member : members_) parts->emplace_back(member, bytes);
    return reinterpret_cast<std::byte*>(parts.release());
}

void RedundantDevice::release(std::byte* address, std::size_t /*bytes*/) {
    const std::unique_ptr<Parts> parts(reinterpret_cast<Parts*>(address));
}

std::byte* RedundantDevice::allocate_host(std::size_t bytes) {
    HostMemory memory(members_.front(), bytes);
    std::byte* const address = memory.begin();
    on_host_.emplace(address, std::move(memory));
    return address;
}

void RedundantDevice::release_host(std::byte* address) { on_host_.erase(address); }

}  // namespace trellis
