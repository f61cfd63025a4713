#include "answers/sampling/request_rate.hpp"

#include <algorithm>

#include "model/process_names.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kReadMost = 1'000'000;  // at one sample: it must not be late for the next

}  // namespace

Result<void> check_server(const std::string& server, const TraceInfo& info) {
  if (const auto known = check_process_names(info, {server}); !known) return Error{"--requests: " + known.error().what};
  return {};
}

bool is_request_of(const std::string& server, const Event& event, const TraceInfo& info) {
  constexpr auto kNone = event_flags::kNoMessage | event_flags::kKernelMessage;
  return event.type == EventType::receive && (event.flags & kNone) == 0 && event.peer != event.process &&
         is_called(info, event.process, server);
}

Result<RequestRate> RequestRate::open(const std::string& trace, const std::string& server) {
  auto events = FollowedEvents::open(trace);
  if (!events) return events.error();
  RequestRate rate(*std::move(events), server);
  rate.read();
  if (auto known = check_server(server, rate.events_.info()); !known) return known.error();
  return rate;
}

void RequestRate::read() {
  events_.read(
      [this](std::span<const Event> batch) {
        for (const Event& event : batch) requests_ += is_request_of(server_, event, events_.info()) ? 1 : 0;
      },
      kReadMost);
}

std::uint32_t RequestRate::level(std::int64_t now_ns) {
  read();
  counts_.push_back({now_ns, requests_});
  while (counts_.size() > 1 && counts_[1].at_ns <= now_ns - kSecondNs) counts_.pop_front();
  const Count& first = counts_.front();
  // Before a second has passed, the rate is not known.
  if (first.at_ns > now_ns - kSecondNs) return sampling::kNoLevel;
  const auto passed_s = static_cast<double>(now_ns - first.at_ns) * 1e-9;
  return sampling::level_of_rate(static_cast<double>(requests_ - first.requests) / passed_s);
}

}  // namespace dpm::cli
