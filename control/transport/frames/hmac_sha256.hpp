// HMAC-SHA256 (RFC 2104), and HKDF with it (RFC 5869).
#pragma once

#include <array>
#include <string_view>

namespace dpm {

using Digest = std::array<unsigned char, 32>;

Digest hmac_sha256(std::string_view key, std::string_view bytes);
// With an empty salt, and one block of output.
Digest hkdf_sha256(std::string_view secret, std::string_view info);

// In a time that does not depend on where they differ.
bool is_same_secret(std::string_view left, std::string_view right);

inline std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace dpm
