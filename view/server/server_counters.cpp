#include "view/server/server_counters.hpp"

#include <string>

namespace dpm::view {
namespace {

constexpr std::size_t kReasons = static_cast<std::size_t>(Refusal::count_of_reasons);
constexpr std::array<std::string_view, kReasons> kReasonNames = {
    "token",     "host", "origin",      "method",  "path",    "body",          "header",
    "malformed", "slow", "connections", "message", "request", "open_requests", "unread"};
static_assert(!kReasonNames.back().empty());

MetricFamily family(const char* name, const char* help, MetricFamily::Type type, std::uint64_t value) {
  return {name, help, type, {{{}, static_cast<double>(value)}}};
}

}  // namespace

std::vector<MetricFamily> metrics_of(const ServerCounters& counters) {
  using enum MetricFamily::Type;
  MetricFamily refused{"dpm_page_refused_total", "Connections and requests that were refused.", counter, {}};
  for (std::size_t why = 0; why < kReasons; ++why)
    refused.samples.push_back(
        {{{"reason", std::string(kReasonNames[why])}}, static_cast<double>(counters.refused[why])});
  return {
      family("dpm_page_viewers", "Pages that are open in browsers.", gauge, counters.viewers),
      family("dpm_page_connections", "Connections that are open.", gauge, counters.connections),
      family("dpm_page_requests_total", "Requests that were not refused.", counter, counters.requests),
      family("dpm_page_answers_total", "Requests that were answered.", counter, counters.answers),
      family("dpm_page_errors_total", "Requests that were answered with an error.", counter, counters.errors),
      family("dpm_page_frames_total", "WebSocket messages sent to viewers.", counter, counters.frames),
      family("dpm_page_ticks_total", "Ticks sent to viewers.", counter, counters.ticks),
      family("dpm_page_ticks_skipped_total", "Ticks not sent because a viewer was slow.", counter,
             counters.ticks_skipped),
      family("dpm_page_sent_bytes_total", "Bytes sent, without those of TLS and WebSocket frames.", counter,
             counters.bytes),
      refused,
  };
}

}  // namespace dpm::view
