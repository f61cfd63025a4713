#include "control/transport/frames/hmac_sha256.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <string>

#include "model/check.hpp"

namespace dpm {

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  Digest digest = {};
  unsigned length = 0;
  DPM_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                 reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(),
                 &length) != nullptr);
  DPM_CHECK(length == digest.size());
  return digest;
}

Digest hkdf_sha256(std::string_view secret, std::string_view info) {
  const std::string no_salt(Digest().size(), '\0');
  const Digest key = hmac_sha256(no_salt, secret);
  return hmac_sha256(bytes_of(key), std::string(info) + '\x01');
}

bool is_same_secret(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace dpm
