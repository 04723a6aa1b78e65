#include "trellis/lists/essential/essential_values.hpp"

#include <gtest/gtest.h>

#include "unit/lists/walk/weighed_tree.hpp"
#include "unit/particle_models.hpp"

namespace trellis::essential_values_test {

// Moments of the given number of bytes, without meaning.
class SomeMoments : public NoCellMoments {
  public:
    explicit SomeMoments(std::size_t bytes) : bytes_(bytes) {}
    std::size_t bytes() const override { return bytes_; }
    void write(std::uint32_t, std::byte* out) const override { std::fill_n(out, bytes_, std::byte{0}); }

  private:
    std::size_t bytes_;
};

// The bytes that a tree takes whose only cell is of this kind.
std::size_t bytes_of(CellKind kind, const ListedTree& listed, const CellMoments& moments) {
    EssentialTree tree;
    tree.cells = {0};
    tree.shape.kinds = {kind};
    ByteWriter out;
    write_values(tree, listed, moments, out);
    return out.take().size();
}

TEST(EssentialValues, of_few_particles_take_no_more_bytes_than_a_closed_cell) {
    for (const std::size_t bytes : {0, 40, 224, 448}) {
        const SomeMoments moments(bytes);
        for (std::uint32_t count = 1; count < 20; ++count) {
            const WeighedTree one_leaf(models::plummer(count, 1), {}, 32);
            ASSERT_TRUE(one_leaf.cells()[0].is_leaf());
            EXPECT_EQ(count <= particles_like_a_closed_cell(one_leaf.listed, moments),
                      bytes_of(CellKind::leaf, one_leaf.listed, moments) <=
                          bytes_of(CellKind::closed, one_leaf.listed, moments))
                << count << " particles, " << bytes << " bytes of moments";
        }
    }
}

}  // namespace trellis::essential_values_test
