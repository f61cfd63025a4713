#include "control/transport/frames/preamble.hpp"

#include <cstring>

#include "control/transport/frames/meter_scope.hpp"
#include "model/check.hpp"
#include "os/hexadecimal.hpp"

namespace dpm {
namespace {

constexpr std::string_view kFixed = {"dpmmeter\x01\0", 10};
constexpr std::size_t kLengthAt = 10, kNonceAt = 12, kProofAt = 28;
static_assert(kProofAt + sizeof(Digest) == kPreambleHeadBytes);
static_assert(kIdentityBytesMax <= 0xFFFF);

Result<Digest> proof_of(const std::string& key, std::string_view head, std::string_view identity) {
  Digest bytes = {};
  if (!read_hexadecimal(key, bytes)) return Error{"a key has 64 hexadecimal digits"};
  const Digest proof_key = hkdf_sha256(bytes_of(bytes), "dpm preamble");
  return hmac_sha256(bytes_of(proof_key), std::string(head) + std::string(identity));
}

}  // namespace

Result<std::string> make_preamble(const std::string& identity, const std::string& key, const Nonce& nonce) {
  if (identity.size() > kIdentityBytesMax) return Error{"the name of the machine or the job is too long"};
  std::string bytes(kFixed);
  bytes += static_cast<char>(identity.size() & 0xFF);
  bytes += static_cast<char>(identity.size() >> 8);
  bytes.append(nonce.begin(), nonce.end());
  const auto proof = proof_of(key, bytes, identity);
  if (!proof) return proof.error();
  bytes.append(proof->begin(), proof->end());
  return bytes + identity;
}

std::size_t PreambleReader::identity_bytes() const {
  return static_cast<unsigned char>(bytes_[kLengthAt]) | static_cast<unsigned char>(bytes_[kLengthAt + 1]) << 8;
}

std::size_t PreambleReader::wanted() const {
  if (bytes_.size() < kPreambleHeadBytes) return kPreambleHeadBytes - bytes_.size();
  return kPreambleHeadBytes + identity_bytes() - bytes_.size();
}

bool PreambleReader::take(std::string_view bytes) {
  DPM_CHECK(bytes.size() <= wanted());
  bytes_ += bytes;
  const std::string_view begin = std::string_view(bytes_).substr(0, kFixed.size());
  if (begin != kFixed.substr(0, begin.size())) return false;
  return bytes_.size() < kNonceAt || (identity_bytes() > 0 && identity_bytes() <= kIdentityBytesMax);
}

std::string_view PreambleReader::identity() const { return std::string_view(bytes_).substr(kPreambleHeadBytes); }

Nonce PreambleReader::nonce() const {
  Nonce nonce;
  std::memcpy(nonce.data(), bytes_.data() + kNonceAt, nonce.size());
  return nonce;
}

bool PreambleReader::is_proved(const std::string& key) const {
  DPM_CHECK(wanted() == 0);
  const auto proof = proof_of(key, std::string_view(bytes_).substr(0, kProofAt), identity());
  return proof && is_same_secret(bytes_of(*proof), std::string_view(bytes_).substr(kProofAt, proof->size()));
}

}  // namespace dpm
