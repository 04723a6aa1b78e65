// Bodies that may come near each other, along the Morton curve, in groups of 8, 64, ... of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trellis/base/vec.hpp"

namespace trellis {

// A group of bodies: their positions are at most `reach` from `position` along each axis, their velocities at most
// `spread` from `velocity`. A single body has neither.
struct Bodies {
    Vec3<double> position, reach, velocity, spread;
    double mass;      // the largest one, times the constant of gravity
    double widening;  // the least one: see tree/softening.hpp
};

// Many groups, in blocks of 8 whose values of one kind stand side by side; values after the last group are not used.
class Groups {
  public:
    static constexpr std::size_t block_size = 8;
    struct alignas(64) Block {
        using Values = std::array<double, block_size>;
        std::array<Values, 3> position, reach, velocity, spread;
        Values mass, widening;
    };

    explicit Groups(std::size_t count);

    std::size_t size() const { return count_; }
    void set(std::size_t group, const Bodies& bodies);
    Bodies operator[](std::size_t group) const;
    std::span<const Block> blocks() const { return blocks_; }
    // The number of groups in a block, and as many bits.
    std::size_t size_of_block(std::size_t block) const { return std::min(block_size, count_ - block * block_size); }
    unsigned long bits_of_block(std::size_t block) const { return (1UL << size_of_block(block)) - 1; }

  private:
    std::size_t count_;
    std::vector<Block> blocks_;
};

// Group k of a level has the groups of block k of the level below.
class EncounterTree {
  public:
    // bodies: single ones, neighbours in space near each other in the array.
    explicit EncounterTree(std::span<const Bodies> bodies);

    // Level 0 has single bodies; the last level has one block at most.
    std::span<const Groups> levels() const { return levels_; }
    std::size_t size() const { return levels_.front().size(); }

  private:
    std::vector<Groups> levels_;
};

}  // namespace trellis
