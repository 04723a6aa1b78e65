#include "trellis/transport/keys/private_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "trellis/base/error.hpp"

namespace trellis {

void demand_private(const std::filesystem::path& path) {
    struct stat state{};
    if (stat(path.c_str(), &state) != 0) return;
    if (state.st_uid != geteuid() && state.st_uid != 0)
        throw InputError(path.string() + " belongs to another user: allowed are keys of your own");
    if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw InputError(path.string() + " can be written by others: allowed is its owner alone (chmod go-w)");
}

void make_private_folder(const std::filesystem::path& folder) {
    std::error_code failure;
    if (std::filesystem::create_directories(folder, failure))
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
}

}  // namespace trellis
