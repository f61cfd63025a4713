#include "answers/sampling/trace_samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/clocks/common_time.hpp"
#include "answers/reading/event_keeper.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/sampling/request_rate.hpp"
#include "sampling/trace/trace_sampler.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kSamples = 997;  // not a round number: samples should not fall into step with a period
constexpr std::uint64_t kSeed = 1;

sampling::SamplingSetup setup_of(const TraceInfo& info, const std::string& path, std::uint64_t interval_ns) {
  sampling::SamplingSetup setup{.source = std::string(sampling::kTraceSource),
                                .interval_ns = interval_ns,
                                .cores = 0,
                                .selection = "trace " + path};
  for (const MachineInfo& machine : info.machines) {
    setup.cores += machine.cores;
    setup.machine += (setup.machine.empty() ? "" : ", ") + machine.name;
  }
  return setup;
}

Result<sampling::RequestTimes> request_times(const std::string& server, std::span<const Event> events,
                                             std::span<const std::int64_t> times_ns, const TraceInfo& info) {
  sampling::RequestTimes times;
  if (server.empty()) return times;
  if (auto known = check_server(server, info); !known) return known.error();
  for (std::size_t i = 0; i < events.size(); ++i)
    if (is_request_of(server, events[i], info)) times.push_back(times_ns[i]);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

Result<sampling::CountArray> samples_of_events(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                                               const TraceInfo& info, const std::string& path,
                                               std::uint64_t interval_ns, const std::string& server) {
  const sampling::StateHistory history(events, times_ns, info);
  if (events.empty()) return Error{fmt::format("--of trace {}: the trace has no events", path)};
  if (!history.is_measured())
    return Error{
        fmt::format("--of trace {}: no process of this trace runs on this machine, and the trace does not have "
                    "run-queue and disk waits ('dpm meter --source ebpf' records them)",
                    path)};
  const auto elapsed_ns = static_cast<std::uint64_t>(history.to_ns() - history.from_ns());
  if (interval_ns == 0) interval_ns = std::max<std::uint64_t>(1, elapsed_ns / kSamples);
  sampling::CountArray counts(setup_of(info, path, interval_ns));
  const auto requests = request_times(server, events, times_ns, info);
  if (!requests) return requests.error();
  sampling::sample_history(history, interval_ns, kSeed, counts, server.empty() ? nullptr : &*requests);
  if (counts.total().samples == 0)
    return Error{fmt::format("--of trace {}: it is shorter than one interval of {:g} s (-i sets it)", path,
                             static_cast<double>(interval_ns) * 1e-9)};
  return counts;
}

Result<sampling::CountArray> samples_of_trace(const std::string& path, std::uint64_t interval_ns,
                                              const std::string& server) {
  ClockAnalysis clocks;
  EventKeeper keeper;
  const auto input = read_trace(path, {&clocks, &keeper});
  if (!input) return input.error();
  const auto times_ns = CommonTime(clocks.result()).times_ns(keeper.events());
  return samples_of_events(keeper.events(), times_ns, input->info, path, interval_ns, server);
}

}  // namespace dpm::cli
