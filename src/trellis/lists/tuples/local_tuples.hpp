// The tuples of this rank: those with a member among its rows. Each rank computes all of them, so that nothing need be
// sent back to the ranks of the other members.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/lists/tuples/imported_members.hpp"
#include "trellis/lists/tuples/tuple_list.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class LocalTuples {
  public:
    explicit LocalTuples(std::shared_ptr<const TupleList> list) : list_(std::move(list)) {}

    // Finds the tuples, and the members that other ranks have; collective. comm: null for a rank alone. some_of_all:
    // the particles are some of all, and a tuple is left out if not all of its members are among them. Otherwise throws
    // InputError, on all ranks, for an id that no particle has.
    void find(const ParticleSet& particles, Comm* comm, bool some_of_all);
    // True if they are still those of these particles, whose ids a caller may have changed; not collective.
    bool holds(const ParticleSet& particles) const;

    const TupleList& list() const { return *list_; }
    std::size_t rows() const { return rows_; }
    // The number of tuples here, and that of tuple k in the list.
    std::size_t size() const { return in_list_.size(); }
    std::uint32_t in_list(std::size_t k) const { return in_list_[k]; }
    // The members of tuple k, by slots: rows, and behind these the imported members.
    std::span<const std::uint32_t> slots(std::size_t k) const {
        return std::span(slots_).subspan(k * list_->each(), list_->each());
    }
    // The terms of a row, in the order of the list: term k * list().each() + m is that of member m of tuple k.
    std::span<const std::uint32_t> terms(std::size_t row) const {
        return std::span(terms_).subspan(first_term_[row], first_term_[row + 1] - first_term_[row]);
    }
    const ImportedMembers& imported() const { return imported_; }

  private:
    bool ids_hold(const ParticleSet& particles) const;
    std::vector<std::uint32_t> wanted(std::span<const std::uint32_t> rows) const;
    void select(std::span<const std::uint32_t> slots);
    void find_terms();

    std::shared_ptr<const TupleList> list_;
    std::size_t rows_ = 0;
    std::vector<std::uint32_t> slot_of_;  // of each number of the list
    std::vector<std::uint32_t> in_list_, slots_, first_term_, terms_;
    std::vector<std::uint32_t> by_list_;  // the tuples here in the order of the list
    ImportedMembers imported_;
    const ParticleSet* found_for_ = nullptr;  // null: none, or some of all
    std::uint64_t arrangement_ = 0;
};

}  // namespace trellis
