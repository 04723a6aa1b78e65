#include "trellis/transport/keys/known_keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "trellis/base/error.hpp"
#include "trellis/transport/keys/private_files.hpp"

namespace trellis {

namespace {

constexpr std::string_view prefix = "sha256:";
constexpr std::size_t digest_characters = 43;  // 32 bytes in base64, without padding

bool is_fingerprint(std::string_view text) {
    const auto in_base64 = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    };
    return text.starts_with(prefix) && text.size() == prefix.size() + digest_characters &&
           std::ranges::all_of(text.substr(prefix.size()), in_base64);
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 255 && text.front() != '#' &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c != 127; });
}

}  // namespace

KnownKeys::KnownKeys(const std::filesystem::path& folder, List list)
    : path_(folder / (list == List::trusted ? "trusted" : "allowed")), list_(list) {}

std::vector<KnownKey> KnownKeys::read() const {
    for (const auto& path : {path_.parent_path(), path_}) demand_private(path);
    std::vector<KnownKey> keys;
    std::ifstream file(path_);
    if (!file && errno != ENOENT) throw InputError("cannot read " + path_.string() + ": " + std::strerror(errno));
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        std::istringstream words(line);
        KnownKey key;
        std::string more;
        if (!(words >> key.name) || key.name.front() == '#') continue;
        if (!(words >> key.fingerprint) || words >> more || !is_fingerprint(key.fingerprint))
            throw InputError(path_.string() + ", line " + std::to_string(number) +
                             ": allowed is a name and a fingerprint, sha256: and 43 characters");
        keys.push_back(std::move(key));
    }
    return keys;
}

std::optional<std::string> KnownKeys::fingerprint_of(std::string_view name) const {
    std::optional<std::string> found;
    for (const KnownKey& key : read())
        if (key.name == name) found = key.fingerprint;
    return found;
}

void KnownKeys::add(const KnownKey& key) const {
    if (!is_name(key.name))
        throw InputError("'" + key.name +
                         "' is not a name for a key: allowed are up to 255 characters without a space");
    if (!is_fingerprint(key.fingerprint))
        throw InputError("'" + key.fingerprint +
                         "' is not a fingerprint: allowed is sha256: and 43 characters of base64");
    std::vector<KnownKey> keys = read();
    std::erase_if(keys, [&](const KnownKey& known) {
        return list_ == List::trusted ? known.name == key.name : known.fingerprint == key.fingerprint;
    });
    keys.push_back(key);
    write(keys);
}

std::size_t KnownKeys::remove(std::string_view name_or_fingerprint) const {
    std::vector<KnownKey> keys = read();
    const std::size_t removed = std::erase_if(keys, [&](const KnownKey& known) {
        return known.name == name_or_fingerprint || known.fingerprint == name_or_fingerprint;
    });
    if (removed > 0) write(keys);
    return removed;
}

void KnownKeys::write(const std::vector<KnownKey>& keys) const {
    make_private_folder(path_.parent_path());
    std::error_code failure;
    const std::string draft = path_.string() + "." + std::to_string(getpid());
    std::ofstream file(draft);
    std::filesystem::permissions(draft, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                                 failure);
    for (const KnownKey& key : keys) file << key.name << ' ' << key.fingerprint << '\n';
    file.close();
    if (file) std::filesystem::rename(draft, path_, failure);
    if (!file || failure) throw InputError("cannot write " + path_.string());
}

}  // namespace trellis
