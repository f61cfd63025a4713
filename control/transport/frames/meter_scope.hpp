// Whose events a meter may send to a filter: those of one machine's processes in one job.
//
// A filter has one secret, which its host and the controller know. A meter gets a key that is derived from the secret and
// its scope:
//
//     identity = "dpm meter " MACHINE "/" JOB
//     key      = HKDF-SHA256(secret, no salt, info = identity), 32 bytes (RFC 5869)
//
// The meter offers the identity, and the filter computes the key from it: it stores no keys. From the key of one scope
// neither the secret nor the key of another scope can be computed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "control/transport/frames/filter_address.hpp"
#include "model/result.hpp"

namespace dpm {

struct MeterScope {
  std::string machine;  // its own name, without '/'
  std::string job;
  friend bool operator==(const MeterScope&, const MeterScope&) = default;
};

inline constexpr std::size_t kIdentityBytesMax = 600;

std::string identity_of(const MeterScope& scope);
// Nothing if the bytes are not an identity.
std::optional<MeterScope> scope_from(std::string_view identity);

// `secret` and the key are 64 hexadecimal digits.
Result<std::string> meter_key(const std::string& secret, std::string_view identity);
// 32 hexadecimal digits: names a filter without showing its secret.
Result<std::string> filter_id(const std::string& secret);

// What a meter of this scope gets of a filter's address: the key instead of the secret.
Result<FilterAddress> address_for_scope(FilterAddress filter, const MeterScope& scope);

}  // namespace dpm
