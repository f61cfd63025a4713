// The first bytes of a meter's connection, before TLS: the proof that it has the key of the identity that it offers. A
// filter computes some hashes for a peer without a key, and no handshake.
//
//     "dpmmeter" 8 | version 1 | 0 | length of identity 2 | nonce 16 | proof 32 | identity          little-endian
//
//     proof = HMAC-SHA256(HKDF-SHA256(key, "dpm preamble"), all bytes before the proof, then the identity)
//
// It is sent in the clear, and proves only that a holder of the key made it once: an eavesdropper can send it again. So a
// filter refuses a nonce that it remembers (RecentSet), and in any case TLS follows. No I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "control/transport/frames/hmac_sha256.hpp"
#include "model/result.hpp"

namespace dpm {

inline constexpr std::uint8_t kPreambleVersion = 1;
inline constexpr std::size_t kPreambleHeadBytes = 60;  // before the identity

using Nonce = std::array<unsigned char, 16>;  // random; not used twice

// `key` is 64 hexadecimal digits; `identity` at most kIdentityBytesMax long.
Result<std::string> make_preamble(const std::string& identity, const std::string& key, const Nonce& nonce);

class PreambleReader {
 public:
  // How many bytes are missing at least; 0: it is complete. What follows a preamble is not asked for.
  std::size_t wanted() const;
  // At most wanted() bytes. False: they are not of a preamble, and nothing else may be called.
  bool take(std::string_view bytes);

  // Of a complete one.
  std::string_view identity() const;
  Nonce nonce() const;
  bool is_proved(const std::string& key) const;

 private:
  std::size_t identity_bytes() const;

  std::string bytes_;
};

}  // namespace dpm
