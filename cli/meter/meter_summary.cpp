#include "cli/meter/meter_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "model/counted.hpp"
#include "text/first_names.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kCommandShown = 60;  // characters

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 10'000) return counted(bytes, "byte");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fixed(value, value < 100 ? 1 : 0) + " " + kUnits[unit];
}

std::string shortened(const std::string& command) {
  return command.size() <= kCommandShown ? command : command.substr(0, kCommandShown) + "...";
}

// From the first event to the last, by the machine's clock.
double observed_s(const Statistics& statistics) {
  double longest_s = 0;
  for (const auto& machine : statistics.machines)
    longest_s = std::max(longest_s, (machine.last_time - machine.first_time).seconds());
  return longest_s;
}

struct Received {
  std::uint64_t messages = 0, bytes = 0;
};

Received received(const Statistics& statistics) {
  Received all;
  for (const auto& process : statistics.processes) {
    if (!process.in_computation) continue;
    all.messages += process.received;
    all.bytes += process.received_bytes;
  }
  return all;
}

// Messages of the metered processes. A message between two of them is in both counts.
std::string moved_text(const Statistics& statistics) {
  const Received all = received(statistics);
  return fmt::format("{} sent ({}) and {} received ({})", counted(statistics.sizes.messages, "message"),
                     bytes_text(statistics.sizes.bytes), all.messages, bytes_text(all.bytes));
}

std::string parallelism_line(const Findings& found) {
  if (!found.parallel) return "";
  const Parallelism& p = found.parallel->parallelism;
  std::string text = fmt::format(
      "  P is {} as it ran, metered; {} replayed on its cores; {} at best (instant messages, a CPU for each process)\n",
      fixed(p.run.P, 2), fixed(p.delay_cpu.P, 2), fixed(p.no_delay.P, 2));
  if (found.parallel->caveat) text += fmt::format("  warning: {}\n", printable(*found.parallel->caveat));
  return text;
}

// Which source metered it, unless it takes part in calls and was asked for.
std::string changes_line(const MeteredFacts& program, const MeterSummary& meter) {
  if (meter.notified_calls == 0 && meter.recorded_calls > 0)
    return fmt::format("  source: {}; no call waited for the meter\n", program.source);
  std::string text = fmt::format("  the meter took part in {}", counted(meter.notified_calls, "call"));
  if (meter.notified_calls > 0 && meter.call_cost_ns > 0)
    text +=
        fmt::format(", which cost {} of CPU time each", seconds_text(static_cast<double>(meter.call_cost_ns) * 1e-9));
  if (meter.held_calls > 0) text += fmt::format("; it held {} until their data came", meter.held_calls);
  text += "\n";
  if (program.source.find("(auto") != std::string::npos) text += fmt::format("  source: {}\n", program.source);
  if (program.privileges_given_up)
    text += "  no_new_privs was set: setuid programs that it started gained no privileges (dpm doctor)\n";
  return text;
}

}  // namespace

std::string meter_summary(const MeteredFacts& program, const Recorded& recorded, const Findings& found) {
  const Statistics& statistics = found.statistics;
  std::string text =
      fmt::format("dpm: {} ({}): {}, {}, {} in {}\n", printable(shortened(program.command)), program.pid,
                  counted(recorded.meter.processes, "process"), counted(recorded.meter.threads, "thread"),
                  moved_text(statistics), seconds_text(observed_s(statistics)));
  text += parallelism_line(found);
  text += changes_line(program, recorded.meter);
  if (recorded.stopped) text += "  metering was stopped while the program ran\n";
  return text;
}

std::string meter_summary_without_trace(const MeteredFacts& program, const Recorded& recorded) {
  return fmt::format("dpm: {} ({}): {}, {}; its trace cannot be read\n{}", printable(shortened(program.command)),
                     program.pid, counted(recorded.meter.processes, "process"),
                     counted(recorded.meter.threads, "thread"), changes_line(program, recorded.meter));
}

std::string goes_on_line(const std::vector<ProcessLeft>& left, std::uint32_t program, bool control_c_ends_it) {
  std::vector<std::string> names;
  for (const ProcessLeft& process : left) names.push_back(fmt::format("{} ({})", printable(process.name), process.pid));
  return fmt::format("metering goes on: {} still {}; {}'dpm stop {}' ends it", first_names(names),
                     left.size() == 1 ? "runs" : "run", control_c_ends_it ? "control-C or " : "", program);
}

nlohmann::ordered_json metering_json(const MeteredFacts& program, const Recorded& recorded, const Findings& found) {
  nlohmann::ordered_json document = {{"command", program.command},
                                     {"pid", program.pid},
                                     {"source", program.source},
                                     {"processes", recorded.meter.processes},
                                     {"threads", recorded.meter.threads},
                                     {"messages", found.statistics.sizes.messages},
                                     {"bytes", found.statistics.sizes.bytes},
                                     {"received_messages", received(found.statistics).messages},
                                     {"received_bytes", received(found.statistics).bytes},
                                     {"observed_s", observed_s(found.statistics)},
                                     {"meter",
                                      {{"notified_calls", recorded.meter.notified_calls},
                                       {"recorded_calls", recorded.meter.recorded_calls},
                                       {"held_calls", recorded.meter.held_calls},
                                       {"unrecorded_events", recorded.meter.unrecorded_events},
                                       {"call_cost_s", static_cast<double>(recorded.meter.call_cost_ns) * 1e-9},
                                       {"no_new_privs", program.privileges_given_up},
                                       {"stopped", recorded.stopped}}},
                                     {"ledger", ledger_json(recorded.ledger)}};
  if (found.parallel) {
    const Parallelism& p = found.parallel->parallelism;
    document["P"] = {{"as_it_ran", p.run.P}, {"replayed", p.delay_cpu.P}, {"best", p.no_delay.P}};
  }
  return document;
}

}  // namespace dpm::cli
