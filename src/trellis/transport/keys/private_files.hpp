// Files and folders of keys, which this user alone may change.
#pragma once

#include <filesystem>

namespace trellis {

// Throws InputError if a file or folder belongs to another user but root, or others may write it, as ssh does: whoever
// writes it lets others in. One that does not exist is accepted.
void demand_private(const std::filesystem::path& path);

// Makes a folder that only this user can enter. The mode of one that exists stays.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace trellis
