#include "trellis/forces/tree/size_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace trellis {

namespace {

constexpr std::uint32_t smallest_group = 16, largest_group = 2048, smallest_leaf = 4;

std::filesystem::path cache_file() {
    if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
        return std::filesystem::path(folder) / "trellis" / "sizes.txt";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache" / "trellis" / "sizes.txt";
}

// Each line: group leaf key
std::map<std::string, Sizes> read_cache() {
    std::map<std::string, Sizes> known;
    std::ifstream file(cache_file());
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Sizes sizes{};
        std::string key;
        if (words >> sizes.group >> sizes.leaf && std::getline(words >> std::ws, key)) known[key] = sizes;
    }
    return known;
}

}  // namespace

Sizes fastest_sizes(Sizes start, const std::function<double(Sizes)>& seconds) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> known;
    const auto cost = [&](Sizes sizes) {
        const auto [at, is_new] = known.try_emplace({sizes.group, sizes.leaf}, 0);
        if (is_new) at->second = seconds(sizes);
        return at->second;
    };
    Sizes best = start;
    const auto improve = [&](const auto& moved) {
        for (const bool up : {true, false})
            for (Sizes next = moved(best, up); next != best && cost(next) < cost(best); next = moved(best, up))
                best = next;
    };
    improve([](Sizes sizes, bool up) {
        const std::uint32_t group = std::clamp(up ? 2 * sizes.group : sizes.group / 2, smallest_group, largest_group);
        return Sizes{group, std::min(sizes.leaf, group)};
    });
    improve([](Sizes sizes, bool up) {
        const std::uint32_t leaf = std::clamp(up ? 2 * sizes.leaf : sizes.leaf / 2, smallest_leaf, sizes.group);
        return Sizes{sizes.group, leaf};
    });
    return best;
}

Sizes cached_sizes(const std::string& key) {
    const auto known = read_cache();
    const auto found = known.find(key);
    return found == known.end() ? Sizes{0, 0} : found->second;
}

void cache_sizes(const std::string& key, Sizes sizes) {
    auto known = read_cache();
    known[key] = sizes;
    const std::filesystem::path path = cache_file();
    const std::filesystem::path unfinished = path.string() + "." + std::to_string(::getpid());
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    {
        std::ofstream file(unfinished);
        for (const auto& [each, found] : known) file << found.group << ' ' << found.leaf << ' ' << each << '\n';
        if (!file.flush()) return;
    }
    std::filesystem::rename(unfinished, path, ignored);
}

}  // namespace trellis
