// The particles: one column for each field. FDPS's "full particle" (FP), as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trellis/particles/field.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// The values of one field, row by row. Both value types take 8 bytes a component.
class Column {
  public:
    Column(FieldInfo info, std::size_t size);

    const FieldInfo& info() const { return info_; }
    std::size_t size() const { return size_; }

    // size() * info().components values. The memory stays put until rows are replaced.
    double* values() { return reinterpret_cast<double*>(data_.get()); }
    const double* values() const { return reinterpret_cast<const double*>(data_.get()); }
    std::uint64_t* integers() { return reinterpret_cast<std::uint64_t*>(data_.get()); }
    const std::uint64_t* integers() const { return reinterpret_cast<const std::uint64_t*>(data_.get()); }
    const void* data() const { return data_.get(); }

    // The values' memory, for views that are to outlive the column or the replacement of its rows.
    const std::shared_ptr<std::byte>& memory() const { return data_; }

    // Row k becomes the former row order[k]. order is a permutation of [0, size()).
    void permute(std::span<const std::uint32_t> order);

    // Memory for `size` rows of this column, not yet touched.
    std::shared_ptr<std::byte> memory_for(std::size_t size) const;
    // Moves the column to memory made by memory_for(size): the rows `kept` in that order, then zeros.
    void move_to(std::shared_ptr<std::byte> memory, std::size_t size, std::span<const std::uint32_t> kept);

  private:
    FieldInfo info_;
    std::size_t size_ = 0;
    std::shared_ptr<std::byte> data_;
};

class ParticleSet {
  public:
    // A set with the fields that every simulation has: position, velocity, mass, id (0, 1, ...), acceleration,
    // potential. All values but the ids are zero. Throws InputError above 2^32 - 2 particles.
    explicit ParticleSet(std::size_t size);

    std::size_t size() const { return size_; }

    // Adds a column of zeros. Throws InputError if the name is taken.
    Column& add(const FieldInfo& info);
    template <class F>
    std::span<typename F::Value> add(F field) {
        add(field_info<F>());
        return (*this)[field];
    }

    // The column of that name. Throws InputError, naming the columns there are.
    Column& column(std::string_view name);
    const Column& column(std::string_view name) const;
    bool has(std::string_view name) const;
    const std::vector<std::unique_ptr<Column>>& columns() const { return columns_; }

    // The values of a field, one for each particle: particles[velocity][k].x
    template <class F>
    std::span<typename F::Value> operator[](F) {
        return {reinterpret_cast<typename F::Value*>(column(F::name).values()), size_};
    }
    template <class F>
    std::span<const typename F::Value> operator[](F) const {
        return {reinterpret_cast<const typename F::Value*>(column(F::name).values()), size_};
    }

    // Reorders the rows of every column: row k becomes the former row order[k].
    void permute(std::span<const std::uint32_t> order);
    // Keeps the rows `kept` in that order and appends `added` rows of zeros, ids included. Columns move to new memory.
    // Throws InputError for a row that does not exist and above 2^32 - 2 particles; then nothing has changed.
    void replace_rows(std::span<const std::uint32_t> kept, std::size_t added);
    // The number of times that rows have been reordered or replaced: a row noted at another count may be another
    // particle.
    std::uint64_t arrangement() const { return arrangement_; }

    // A simulation that moves the particles claims them, and they are its own until another one does.
    std::uint64_t claim() { return ++claims_; }
    bool claimed_by(std::uint64_t claim) const { return claim == claims_; }

    // The space of the particles: all of it, unless set. Ranks that share particles set the same.
    const Region& region() const { return region_; }
    // Sets the region; positions stay as they are. Throws InputError as Region::check.
    void set_region(const Region& region);
    // Moves every position to its image within the region. In a periodic region throws InputError unless all positions
    // are finite.
    void wrap_positions();

    // Throws InputError naming column and row if a value is infinite or not a number.
    void check_finite(std::string_view name) const;

  private:
    std::size_t size_;
    Region region_;
    std::uint64_t arrangement_ = 0, claims_ = 0;
    std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace trellis
