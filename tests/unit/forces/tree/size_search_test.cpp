#include "trellis/forces/tree/size_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::size_search_test {

double far_from(std::uint32_t size, double ideal) { return std::abs(std::log2(size / ideal)); }

TEST(SizeSearch, finds_the_bottom_of_a_valley_and_asks_for_each_size_once) {
    for (const std::uint32_t group : {16U, 64U, 128U, 512U, 2048U})
        for (const std::uint32_t leaf : {4U, 8U, 16U}) {
            std::set<std::pair<std::uint32_t, std::uint32_t>> asked;
            const Sizes found = fastest_sizes({128, 16}, [&](Sizes sizes) {
                EXPECT_TRUE(asked.insert({sizes.group, sizes.leaf}).second);
                return 1 + far_from(sizes.group, group) + 0.3 * far_from(sizes.leaf, leaf);
            });
            EXPECT_EQ(found.group, group);
            EXPECT_EQ(found.leaf, leaf);
            EXPECT_LE(asked.size(), 9U);
        }
}

TEST(SizeSearch, stays_within_its_bounds) {
    const Sizes up = fastest_sizes({128, 16}, [](Sizes sizes) { return 1.0 / sizes.group + 1.0 / sizes.leaf; });
    EXPECT_EQ(up, (Sizes{2048, 2048}));
    const Sizes down = fastest_sizes({128, 16}, [](Sizes sizes) { return 1.0 * sizes.group + sizes.leaf; });
    EXPECT_EQ(down, (Sizes{16, 4}));
}

// A cache used by the test alone.
class SizeCache : public testing::Test {
  protected:
    SizeCache() : folder_(std::filesystem::temp_directory_path() / ("trellis_cache_" + std::to_string(::getpid()))) {
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    ~SizeCache() override {
        unsetenv("XDG_CACHE_HOME");
        std::filesystem::remove_all(folder_);
    }
    std::filesystem::path folder_;
};

TEST_F(SizeCache, keeps_what_was_found_under_each_key) {
    EXPECT_EQ(cached_sizes("cpu, 2 threads, theta 0.5"), (Sizes{0, 0}));
    cache_sizes("cpu, 2 threads, theta 0.5", {64, 8});
    cache_sizes("cuda:0, theta 0.5", {256, 16});
    cache_sizes("cpu, 2 threads, theta 0.5", {32, 8});
    EXPECT_EQ(cached_sizes("cpu, 2 threads, theta 0.5"), (Sizes{32, 8}));
    EXPECT_EQ(cached_sizes("cuda:0, theta 0.5"), (Sizes{256, 16}));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "trellis"), {}), 1);
}

TEST_F(SizeCache, that_cannot_be_written_or_read_is_as_good_as_none) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "trellis") << "a file where a folder should be";
    cache_sizes("key", {64, 8});
    EXPECT_EQ(cached_sizes("key"), (Sizes{0, 0}));
}

TEST_F(SizeCache, tuned_force_takes_sizes_that_it_has_tried_and_keeps_them) {
    ParticleSet particles = models::plummer(3000, 1);
    const ForceSettings tuned{.theta = 0.6, .method = Method::tree, .order = 1, .tune_sizes = true};
    const auto force = gravity(0.05, 1, tuned);
    compute(*force, particles);
    const Sizes found = force->sizes();
    EXPECT_GE(found.group, 16U);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.02);
    const auto again = gravity(0.05, 1, tuned);
    compute(*again, particles);
    EXPECT_EQ(again->sizes(), found);
    const auto given = gravity(
        0.05, 1,
        {.theta = 0.6, .method = Method::tree, .order = 1, .group_size = 40, .leaf_size = 8, .tune_sizes = true});
    compute(*given, particles);
    EXPECT_EQ(given->sizes(), (Sizes{40, 8}));
}

TEST_F(SizeCache, tuned_force_is_that_of_all_images_in_a_box) {
    ParticleSet particles = models::uniform_cube(500, 1);
    particles.set_region({{0, 0, 0}, {1, 1, 1}});
    const auto force = gravity(0.01, 1, {.theta = 0.5, .tune_sizes = true});
    compute(*force, particles);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.01);
}

TEST_F(SizeCache, tuned_force_takes_what_is_kept_without_trying) {
    ParticleSet particles = models::plummer(3000, 1);
    const ForceSettings tuned{.theta = 0.6, .method = Method::tree, .order = 1, .tune_sizes = true};
    compute(*gravity(0.05, 1, tuned), particles);
    const std::filesystem::path file = folder_ / "trellis" / "sizes.txt";
    std::string group, leaf, key;
    std::getline(std::ifstream(file) >> group >> leaf >> std::ws, key);
    std::ofstream(file) << "24 6 " << key << '\n';  // sizes that no trial would find
    const auto force = gravity(0.05, 1, tuned);
    compute(*force, particles);
    EXPECT_EQ(force->sizes(), (Sizes{24, 6}));
}

}  // namespace trellis::size_search_test
