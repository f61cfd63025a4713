#include <algorithm>
#include <array>

#include "formats/otlp/otlp_spans.hpp"

namespace dpm {

std::optional<std::size_t> peer_rank(std::string_view key) {
  // From OpenTelemetry's semantic conventions, new and old: a service, a system, a destination, an address.
  static constexpr std::array<std::string_view, 14> kKeys = {
      "peer.service",          "service.peer.name", "db.system",   "db.system.name",      "messaging.destination.name",
      "messaging.destination", "messaging.system",  "rpc.service", "server.address",      "net.peer.name",
      "net.sock.peer.name",    "http.host",         "net.peer.ip", "network.peer.address"};
  const auto found = std::find(kKeys.begin(), kKeys.end(), key);
  return found == kKeys.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - kKeys.begin()));
}

bool is_request_size(std::string_view key) {
  return key == "http.request.body.size" || key == "http.request_content_length" ||
         key == "messaging.message.body.size" || key == "messaging.message_payload_size_bytes";
}

bool is_response_size(std::string_view key) {
  return key == "http.response.body.size" || key == "http.response_content_length";
}

}  // namespace dpm
