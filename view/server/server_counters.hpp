// What the server has done, and what it has refused and why: nothing is refused uncounted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "view/answers/metrics.hpp"

namespace dpm::view {

enum class Refusal : std::uint8_t {
  token,          // wrong or missing: 404
  host,           // not a name of this server: 421 (DNS rebinding)
  origin,         // another site's page: 403
  method,         // not GET or HEAD: 405
  path,           // nothing is there: 404
  body,           // a request with a body: 413
  header,         // longer than 8 kB: 431
  malformed,      // not HTTP, TLS or WebSocket: 400, or the end of the connection
  slow,           // no whole header in time
  connections,    // too many: the oldest without the token goes, or the new one gets 503
  message,        // of a WebSocket, longer than 64 kB
  request,        // cannot be read: 400, or the end of the WebSocket
  open_requests,  // of one viewer, too many: an error
  unread,         // the viewer took nothing for 30 s
  count_of_reasons,
};

struct ServerCounters {
  std::uint64_t viewers = 0;      // WebSockets that are open
  std::uint64_t connections = 0;  // that are open, viewers among them
  std::uint64_t requests = 0;     // for the page, answers or metrics, that were not refused
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;         // requests that were answered with a sentence
  std::uint64_t frames = 0;         // sent to viewers: answers and ticks
  std::uint64_t ticks = 0;          // among the frames
  std::uint64_t ticks_skipped = 0;  // because the viewer had not taken what was sent before
  std::uint64_t bytes = 0;          // sent
  std::array<std::uint64_t, static_cast<std::size_t>(Refusal::count_of_reasons)> refused = {};

  std::uint64_t& operator[](Refusal why) { return refused[static_cast<std::size_t>(why)]; }
  std::uint64_t operator[](Refusal why) const { return refused[static_cast<std::size_t>(why)]; }
};

std::vector<MetricFamily> metrics_of(const ServerCounters& counters);

}  // namespace dpm::view
