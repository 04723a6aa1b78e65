// A folder of keys for one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace trellis {

// A new folder for keys and sockets; TRELLIS_HOME is its path until it is removed.
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
