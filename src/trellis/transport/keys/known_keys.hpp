// Known keys: those of servers that this user trusts, and of clients that this user's servers allow. Each list is a
// text file of lines "name fingerprint" in the folder of keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct KnownKey {
    std::string name;  // in `trusted` the host, with :PORT if that is not usual_port; in `allowed` any name
    std::string fingerprint;
};

class KnownKeys {
  public:
    enum class List { trusted, allowed };

    KnownKeys(const std::filesystem::path& folder, List list);

    // The present entries of the file. Throws InputError with the number of a malformed line, or if others may write
    // the file or its folder.
    std::vector<KnownKey> read() const;
    // The fingerprint of the last entry of this name.
    std::optional<std::string> fingerprint_of(std::string_view name) const;
    // Adds an entry. In `trusted` it replaces the one of this name, in `allowed` the one of this fingerprint. Throws
    // InputError for a malformed name or fingerprint.
    void add(const KnownKey& key) const;
    // Removes the entries of this name or fingerprint. Returns their number.
    std::size_t remove(std::string_view name_or_fingerprint) const;

  private:
    void write(const std::vector<KnownKey>& keys) const;

    std::filesystem::path path_;
    List list_;
};

}  // namespace trellis
