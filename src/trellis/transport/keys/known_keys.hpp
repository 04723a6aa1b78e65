// Whom to believe: the servers whose keys this user trusts, and the clients that this user's servers allow. Each is a
// text file of lines "name fingerprint" in the folder of keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct KnownKey {
    std::string
        name;  // trusted: the host as in the address, with :port where it is not the usual one; allowed: anything
    std::string fingerprint;
};

class KnownKeys {
  public:
    enum class List { trusted, allowed };

    KnownKeys(const std::filesystem::path& folder, List list);

    // The entries of the file as it is now. Throws InputError for a line that is none, with its number.
    std::vector<KnownKey> read() const;
    // The fingerprint of the last entry of this name.
    std::optional<std::string> fingerprint_of(std::string_view name) const;
    // Adds an entry; in the list of the trusted it takes the place of one of the same name. Throws InputError for a
    // fingerprint or a name that is none.
    void add(const KnownKey& key) const;
    // Removes the entries of this name or fingerprint. Returns their number.
    std::size_t remove(std::string_view name_or_fingerprint) const;

  private:
    void write(const std::vector<KnownKey>& keys) const;

    std::filesystem::path path_;
    List list_;
};

}  // namespace trellis
