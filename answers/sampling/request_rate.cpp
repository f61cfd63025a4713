#include "answers/sampling/request_rate.hpp"

#include <algorithm>

#include "model/nearest_name.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kReadMost = 1'000'000;  // at one sample: it must not be late for the next

// A thread has the name of its process, or one of its own.
bool is_called(const std::string& server, ProcessId process, const TraceInfo& info) {
  if (process.value >= info.processes.size()) return false;
  const ProcessInfo& thread = info[process];
  if (thread.name == server) return true;
  return thread.group.value < info.processes.size() && info[thread.group].name == server;
}

}  // namespace

Result<void> check_server(const std::string& server, const TraceInfo& info) {
  std::vector<std::string> names;
  for (const ProcessInfo& process : info.processes) names.push_back(process.name);
  if (std::find(names.begin(), names.end(), server) != names.end()) return {};
  return Error{"--requests: the trace has no process '" + server + "'" + did_you_mean(server, names)};
}

bool is_request_of(const std::string& server, const Event& event, const TraceInfo& info) {
  constexpr auto kNone = event_flags::kNoMessage | event_flags::kKernelMessage;
  return event.type == EventType::receive && (event.flags & kNone) == 0 && event.peer != event.process &&
         is_called(server, event.process, info);
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
