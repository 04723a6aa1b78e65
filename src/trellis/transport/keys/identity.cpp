#include "trellis/transport/keys/identity.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "trellis/transport/keys/private_files.hpp"

namespace trellis {

namespace {

namespace fs = std::filesystem;

struct BioEnd {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, BioEnd>;

constexpr long century =
    100L * 365 * 24 * 3600;  // seconds; a key is revoked by removing its fingerprint from the lists

[[noreturn]] void throw_openssl(const std::string& what) {
    std::array<char, 256> reason{};
    ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
    throw RunError(what + " failed: " + reason.data());
}

std::shared_ptr<EVP_PKEY> new_key() {
    EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    if (key == nullptr) throw_openssl("making an Ed25519 key");
    return {key, EVP_PKEY_free};
}

std::shared_ptr<X509> certificate_of(EVP_PKEY* key) {
    const std::shared_ptr<X509> certificate(X509_new(), X509_free);
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24L * 3600);  // since clocks differ
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), century);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("trellis"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    if (X509_set_pubkey(certificate.get(), key) != 1 || X509_sign(certificate.get(), key, nullptr) == 0)
        throw_openssl("signing a certificate");
    return certificate;
}

std::string as_pem(const Identity& identity) {
    const Bio bio(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_PrivateKey(bio.get(), identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
        PEM_write_bio_X509(bio.get(), identity.certificate.get()) != 1)
        throw_openssl("writing a key");
    char* text = nullptr;
    const long bytes = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(bytes)};
}

[[noreturn]] void throw_errno(const std::string& what, const fs::path& path) {
    throw InputError(what + " " + path.string() + ": " + std::strerror(errno));
}

// Writes a file that only its owner can read, unless it exists.
void write_private(const fs::path& path, const std::string& text) {
    std::string name = path.string() + ".XXXXXX";
    const int file = mkstemp(name.data());  // of mode 0600
    if (file < 0) throw_errno("cannot write", path);
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
    close(file);
    // link fails if another process was first, whose key then stays
    const bool linked = written && (link(name.c_str(), path.c_str()) == 0 || errno == EEXIST);
    unlink(name.c_str());
    if (!linked) throw_errno("cannot write", path);
}

Identity read_identity(const fs::path& path) {
    struct stat state{};
    if (stat(path.c_str(), &state) == 0 && (state.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw InputError(path.string() + " can be read by others: allowed is its owner alone (chmod 600)");
    const Bio bio(BIO_new_file(path.c_str(), "r"));
    if (bio == nullptr) throw InputError("cannot read " + path.string());
    Identity identity;
    identity.key = {PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
    identity.certificate = {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free};
    if (identity.key != nullptr && identity.certificate != nullptr)
        identity.fingerprint = fingerprint_of(identity.certificate.get());
    if (identity.fingerprint.empty() || X509_check_private_key(identity.certificate.get(), identity.key.get()) != 1)
        throw InputError(path.string() +
                         " is not an Ed25519 key with its certificate; remove it, and a new one is made");
    return identity;
}

}  // namespace

fs::path keys_folder() {
    const auto of = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (std::string own = of("TRELLIS_HOME"); !own.empty()) return own;
    if (const std::string config = of("XDG_CONFIG_HOME"); !config.empty()) return fs::path(config) / "trellis";
    if (const std::string home = of("HOME"); !home.empty()) return fs::path(home) / ".config" / "trellis";
    throw InputError("there is no folder for keys: neither TRELLIS_HOME nor HOME is set");
}

Identity identity_in(const fs::path& folder) {
    const fs::path path = folder / "identity.pem";
    demand_private(folder);
    if (!fs::exists(path)) {
        make_private_folder(folder);
        Identity made{new_key(), nullptr, ""};
        made.certificate = certificate_of(made.key.get());
        write_private(path, as_pem(made));
    }
    return read_identity(path);
}

std::string fingerprint_of(X509* certificate) {
    EVP_PKEY* key = X509_get0_pubkey(certificate);
    if (key == nullptr || EVP_PKEY_get_id(key) != EVP_PKEY_ED25519) return "";
    std::array<unsigned char, 32> bytes{}, digest{};
    std::size_t length = bytes.size();
    if (EVP_PKEY_get_raw_public_key(key, bytes.data(), &length) != 1) throw_openssl("reading a key");
    if (EVP_Digest(bytes.data(), length, digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw_openssl("computing a fingerprint");
    std::array<unsigned char, 48> text{};
    const int written = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
    std::string encoded(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(written));
    return "sha256:" + encoded.substr(0, encoded.find('='));
}

}  // namespace trellis
