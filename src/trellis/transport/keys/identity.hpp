// Identities: the Ed25519 key of a user on a machine, made on first use. Peers identify it by its fingerprint, as with
// SSH; there is no certificate authority.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "trellis/base/error.hpp"

using EVP_PKEY = struct evp_pkey_st;
using X509 = struct x509_st;

namespace trellis {

struct Identity {
    std::shared_ptr<EVP_PKEY> key;
    std::shared_ptr<X509> certificate;  // signed by the key itself
    std::string fingerprint;            // "sha256:" and the digest of the public key in base64, without padding
};

// The folder of keys: $TRELLIS_HOME, else trellis/ in $XDG_CONFIG_HOME or ~/.config.
std::filesystem::path keys_folder();

// Reads identity.pem of the folder, or makes it, readable by its owner alone. Throws InputError if it is not such a
// file, or others can read it or write the folder.
Identity identity_in(const std::filesystem::path& folder);

// The fingerprint of a certificate's key; empty if that is not an Ed25519 key.
std::string fingerprint_of(X509* certificate);

}  // namespace trellis
