#include "control/transport/frames/meter_scope.hpp"

#include <fmt/format.h>

#include <array>

#include "control/transport/frames/hmac_sha256.hpp"
#include "os/hexadecimal.hpp"

namespace dpm {
namespace {

constexpr std::string_view kMark = "dpm meter ";
constexpr std::string_view kIdInfo = "dpm filter id";
constexpr std::size_t kIdDigits = 32;

Result<Digest> derived(const std::string& secret, std::string_view info) {
  Digest bytes = {};
  if (!read_hexadecimal(secret, bytes)) return Error{"a secret has 64 hexadecimal digits"};
  return hkdf_sha256(bytes_of(bytes), info);
}

}  // namespace

std::string identity_of(const MeterScope& scope) { return fmt::format("{}{}/{}", kMark, scope.machine, scope.job); }

std::optional<MeterScope> scope_from(std::string_view identity) {
  if (identity.size() > kIdentityBytesMax || !identity.starts_with(kMark)) return std::nullopt;
  identity.remove_prefix(kMark.size());
  const auto slash = identity.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  return MeterScope{std::string(identity.substr(0, slash)), std::string(identity.substr(slash + 1))};
}

Result<std::string> meter_key(const std::string& secret, std::string_view identity) {
  const auto key = derived(secret, identity);
  if (!key) return key.error();
  return hexadecimal(*key);
}

Result<std::string> filter_id(const std::string& secret) {
  const auto id = derived(secret, kIdInfo);
  if (!id) return id.error();
  return hexadecimal(*id).substr(0, kIdDigits);
}

Result<FilterAddress> address_for_scope(FilterAddress filter, const MeterScope& scope) {
  auto key = meter_key(filter.secret, identity_of(scope));
  if (!key) return key.error();
  filter.secret = *std::move(key);
  return filter;
}

}  // namespace dpm
