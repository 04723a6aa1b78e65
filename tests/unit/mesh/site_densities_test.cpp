#include "trellis/mesh/site_densities.hpp"

#include <gtest/gtest.h>

#include <random>

#include "trellis/mesh/pencils.hpp"
#include "unit/mesh/mesh_checks.hpp"
#include "unit/ranks/sites/site_ranks.hpp"

namespace trellis::site_densities_test {

using mesh_checks::shared;

const Nodes cells{7, 6, 16};
const NodeBox whole{{}, cells};
constexpr int times = 4;

// The density of a site's particles on the whole mesh at a time: numbers that move along, of any sign and size, in a
// slab.
template <class T>
std::vector<T> of_site(std::size_t site, int time) {
    std::mt19937_64 random(site);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> density(whole.size());
    for (int x = 2 * static_cast<int>(site); x < 2 * static_cast<int>(site) + 6 && x < cells[0]; ++x)
        for (std::size_t k = whole.at(x, 0, 0); k < whole.at(x + 1, 0, 0); ++k)
            density[k] = static_cast<T>(std::exp(20 * value(random)) * (value(random) + 0.01 * time));
    return density;
}

template <class T>
std::vector<T> part_of(const std::vector<T>& all, const NodeBox& box) {
    std::vector<T> part(box.size());
    for_shared_runs(box, whole, cells, [&](std::size_t in_box, std::size_t in_whole, std::size_t length) {
        std::copy_n(all.data() + in_whole, length, part.data() + in_box);
    });
    return part;
}

// Added up here in the order of the ring, bit by bit, whatever the pencils of a site are: some of the last one's seven
// ranks share none with a rank of the others.
template <class T>
void check_sums() {
    const std::vector<int> ranks{2, 1, 7};
    checks::run_sites(ranks, [&](SiteComm& comm) {
        SiteDensities<T> densities(shared(comm), cells);
        ASSERT_TRUE(densities.several());
        const std::size_t site = comm.sites().own;
        const int here = comm.rank() - comm.site_begins()[site];
        const NodeBox box = pencil_boxes(ranks[site], cells).z[static_cast<std::size_t>(here)];
        for (int time = 0; time < times; ++time) {
            std::vector<T> sum(whole.size());
            for (std::size_t other = 0; other < ranks.size(); ++other) {
                const auto density = of_site<T>(other, time);
                for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += density[k];
            }
            densities.begin(part_of(of_site<T>(site, time), box));
            EXPECT_EQ(densities.finish(), part_of(sum, box)) << time;
        }
    });
}

TEST(SiteDensities, are_added_up_to_the_same_bits_on_all_sites) {
    check_sums<float>();
    check_sums<double>();
}

TEST(SiteDensities, stay_where_there_is_one_site) {
    const SiteDensities<float> densities(serial_comm(), cells);
    EXPECT_FALSE(densities.several());
}

}  // namespace trellis::site_densities_test
