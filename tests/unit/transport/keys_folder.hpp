// Keys in a folder of a test's own.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace trellis {

// A new folder for keys and sockets, which TRELLIS_HOME names while it is there.
class KeysFolder {
  public:
    KeysFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "trellis-XXXXXX").string();
        path_ = mkdtemp(name.data());
        setenv("TRELLIS_HOME", path_.c_str(), 1);
    }
    ~KeysFolder() {
        unsetenv("TRELLIS_HOME");
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    KeysFolder(const KeysFolder&) = delete;
    KeysFolder& operator=(const KeysFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string socket(const std::string& name = "socket") const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

}  // namespace trellis
