#include "trellis/lists/tuples/local_tuples.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t nowhere = ImportedMembers::nowhere;

}  // namespace

void LocalTuples::find(const ParticleSet& particles, Comm* comm, bool some_of_all) {
    found_for_ = nullptr;
    rows_ = particles.size();
    std::vector<std::uint32_t> slots(list_->ids().size(), nowhere);  // of each number
    const auto ids = particles[fields::id];
    parallel_for(rows_, [&](std::size_t row) {
        const std::uint32_t number = list_->number_of(ids[row]);
        if (number < slots.size()) slots[number] = static_cast<std::uint32_t>(row);
    });
    std::uint32_t missing;
    if (comm == nullptr) {
        const auto found = std::ranges::find(slots, nowhere);
        missing = found == slots.end() ? nowhere : static_cast<std::uint32_t>(found - slots.begin());
    } else {
        missing = imported_.find(*comm, *list_, slots, wanted(slots));
        auto next = static_cast<std::uint32_t>(rows_);
        for (const std::uint32_t number : imported_.numbers()) slots[number] = next++;
    }
    if (missing != nowhere && !some_of_all)
        throw InputError(std::string(list_->name()) + " name particle " + std::to_string(list_->ids()[missing]) +
                         ", but no particle has this id");
    select(slots);
    find_terms();
    if (some_of_all) return;
    found_for_ = &particles;
    arrangement_ = particles.arrangement();
}

bool LocalTuples::holds(const ParticleSet& particles) const {
    return found_for_ == &particles && rows_ == particles.size() && arrangement_ == particles.arrangement();
}

// The members elsewhere of tuples that have one here.
std::vector<std::uint32_t> LocalTuples::wanted(std::span<const std::uint32_t> rows) const {
    std::vector<std::uint32_t> numbers;
    const auto here = [&](std::uint32_t number) { return rows[number] != nowhere; };
    for (std::size_t k = 0; k < list_->size(); ++k) {
        const auto members = list_->tuple(k);
        if (std::ranges::none_of(members, here)) continue;
        std::ranges::copy_if(members, std::back_inserter(numbers), std::not_fn(here));
    }
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    return numbers;
}

void LocalTuples::select(std::span<const std::uint32_t> slots) {
    in_list_.clear();
    slots_.clear();
    for (std::uint32_t k = 0; k < list_->size(); ++k) {
        const auto members = list_->tuple(k);
        const auto here = [&](std::uint32_t number) { return slots[number] < rows_; };
        const auto absent = [&](std::uint32_t number) { return slots[number] == nowhere; };
        if (std::ranges::none_of(members, here) || std::ranges::any_of(members, absent)) continue;
        in_list_.push_back(k);
        for (const std::uint32_t number : members) slots_.push_back(slots[number]);
    }
}

void LocalTuples::find_terms() {
    first_term_.assign(rows_ + 2, 0);
    for (const std::uint32_t slot : slots_)
        if (slot < rows_) ++first_term_[slot + 2];
    for (std::size_t row = 2; row < first_term_.size(); ++row) first_term_[row] += first_term_[row - 1];
    terms_.resize(first_term_.back());
    for (std::uint32_t term = 0; term < slots_.size(); ++term)
        if (slots_[term] < rows_) terms_[first_term_[slots_[term] + 1]++] = term;
}

}  // namespace trellis
