#include "trellis/lists/tuples/local_tuples.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

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
    slot_of_ = std::move(slots);
    found_for_ = &particles;
    arrangement_ = particles.arrangement();
}

bool LocalTuples::holds(const ParticleSet& particles) const {
    return found_for_ == &particles && rows_ == particles.size() && arrangement_ == particles.arrangement() &&
           ids_hold(particles);
}

bool LocalTuples::ids_hold(const ParticleSet& particles) const {
    const auto ids = particles[fields::id];
    const auto named = list_->ids();
    return parallel_reduce(
        named.size(), true,
        [&](std::size_t begin, std::size_t end) {
            while (begin < end && (slot_of_[begin] >= rows_ || ids[slot_of_[begin]] == named[begin])) ++begin;
            return begin == end;
        },
        [](bool a, bool b) { return a && b; });
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

// Tuples lie in the order of the slots of their first members: what rows read of particles and of tuples is then close
// together in memory.
void LocalTuples::select(std::span<const std::uint32_t> slots) {
    std::vector<std::uint32_t> chosen;  // rising
    for (std::uint32_t k = 0; k < list_->size(); ++k) {
        const auto members = list_->tuple(k);
        const auto here = [&](std::uint32_t number) { return slots[number] < rows_; };
        const auto absent = [&](std::uint32_t number) { return slots[number] == nowhere; };
        if (std::ranges::any_of(members, here) && std::ranges::none_of(members, absent)) chosen.push_back(k);
    }
    const auto first_slot = [&](std::uint32_t k) { return slots[list_->tuple(k)[0]]; };
    std::vector<std::uint32_t> next(rows_ + imported_.numbers().size() + 1, 0);  // place of a tuple that begins there
    for (const std::uint32_t k : chosen) ++next[first_slot(k) + 1];
    std::inclusive_scan(next.begin(), next.end(), next.begin());
    in_list_.resize(chosen.size());
    slots_.resize(chosen.size() * list_->each());
    by_list_.clear();
    for (const std::uint32_t k : chosen) {
        const std::uint32_t place = by_list_.emplace_back(next[first_slot(k)]++);
        in_list_[place] = k;
        std::ranges::transform(list_->tuple(k), slots_.begin() + static_cast<std::ptrdiff_t>(place * list_->each()),
                               [&](std::uint32_t number) { return slots[number]; });
    }
}

void LocalTuples::find_terms() {
    first_term_.assign(rows_ + 2, 0);
    for (const std::uint32_t slot : slots_)
        if (slot < rows_) ++first_term_[slot + 2];
    for (std::size_t row = 2; row < first_term_.size(); ++row) first_term_[row] += first_term_[row - 1];
    terms_.resize(first_term_.back());
    const auto each = static_cast<std::uint32_t>(list_->each());
    for (const std::uint32_t place : by_list_)
        for (std::uint32_t term = place * each; term < (place + 1) * each; ++term)
            if (slots_[term] < rows_) terms_[first_term_[slots_[term] + 1]++] = term;
}

}  // namespace trellis
