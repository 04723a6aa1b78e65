// Keys: made once, private, and known by their fingerprints.
#include "trellis/transport/keys/known_keys.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "trellis/transport/keys/identity.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/error_message.hpp"

namespace trellis::known_keys_test {

const std::string some = "sha256:" + std::string(43, 'a'), other = "sha256:" + std::string(43, 'b');

TEST(IdentityTest, is_made_once_and_its_owners_alone) {
    const KeysFolder folder;
    const Identity made = identity_in(folder.path());
    EXPECT_EQ(identity_in(folder.path()).fingerprint, made.fingerprint);
    EXPECT_TRUE(made.fingerprint.starts_with("sha256:"));
    EXPECT_EQ(made.fingerprint.size(), some.size());
    struct stat state{};
    stat((folder.path() / "identity.pem").c_str(), &state);
    EXPECT_EQ(state.st_mode & 0777U, 0600U);
    const KeysFolder another;
    EXPECT_NE(identity_in(another.path()).fingerprint, made.fingerprint);
}

TEST(IdentityTest, a_key_that_others_can_read_or_that_is_malformed_is_refused) {
    const KeysFolder folder;
    identity_in(folder.path());
    const std::string path = folder.path() / "identity.pem";
    chmod(path.c_str(), 0644);
    EXPECT_EQ(message_of([&] { identity_in(folder.path()); }),
              path + " can be read by others: allowed is its owner alone (chmod 600)");
    std::ofstream(path) << "no key";
    chmod(path.c_str(), 0600);
    EXPECT_NE(message_of([&] { identity_in(folder.path()); }).find("is not an Ed25519 key"), std::string::npos);
}

TEST(IdentityTest, the_mode_of_a_folder_that_exists_stays) {
    const KeysFolder folder;
    const auto mode_of = [](const std::filesystem::path& path) {
        struct stat state{};
        stat(path.c_str(), &state);
        return state.st_mode & 0777U;
    };
    chmod(folder.path().c_str(), 0755);
    identity_in(folder.path());
    EXPECT_EQ(mode_of(folder.path()), 0755U);
    identity_in(folder.path() / "new");
    EXPECT_EQ(mode_of(folder.path() / "new"), 0700U);
}

TEST(KnownKeysTest, folders_and_lists_that_others_may_write_are_refused) {
    const KeysFolder folder;
    const KnownKeys allowed(folder.path(), KnownKeys::List::allowed);
    allowed.add({"laptop", some});
    const std::string list = folder.path() / "allowed", all = folder.path();
    for (const std::string& path : {list, all})
        for (const mode_t mode : {0720U, 0702U}) {
            chmod(path.c_str(), mode);
            EXPECT_EQ(message_of([&] { allowed.read(); }),
                      path + " can be written by others: allowed is its owner alone (chmod go-w)");
            if (path == all) {
                EXPECT_NE(message_of([&] { identity_in(folder.path()); }).find("can be written by others"),
                          std::string::npos);
            }
            chmod(path.c_str(), 0700);
        }
    EXPECT_EQ(allowed.read().size(), 1U);
}

TEST(KnownKeysTest, are_added_replaced_and_removed) {
    const KeysFolder folder;
    const KnownKeys trusted(folder.path(), KnownKeys::List::trusted), allowed(folder.path(), KnownKeys::List::allowed);
    trusted.add({"gpubox", some});
    trusted.add({"gpubox", other});
    ASSERT_EQ(trusted.read().size(), 1U);
    EXPECT_EQ(trusted.read()[0].fingerprint, other);
    allowed.add({"laptop", some});
    allowed.add({"laptop", other});
    EXPECT_EQ(allowed.read().size(), 2U);
    EXPECT_EQ(allowed.remove("laptop"), 2U);
    EXPECT_EQ(trusted.remove(other), 1U);
    EXPECT_TRUE(trusted.read().empty());
}

TEST(KnownKeysTest, malformed_entries_are_refused) {
    const KeysFolder folder;
    const KnownKeys trusted(folder.path(), KnownKeys::List::trusted);
    EXPECT_NE(message_of([&] { trusted.add({"gpubox", "sha256:short"}); }).find("is not a fingerprint"),
              std::string::npos);
    EXPECT_NE(message_of([&] { trusted.add({"a name", some}); }).find("is not a name for a key"), std::string::npos);
    std::ofstream(folder.path() / "trusted") << "gpubox " << some << "\ngpubox\n";
    EXPECT_EQ(message_of([&] { trusted.read(); }),
              (folder.path() / "trusted").string() +
                  ", line 2: allowed is a name and a fingerprint, sha256: and 43 characters");
}

}  // namespace trellis::known_keys_test
