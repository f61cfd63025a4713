#include "answers/live/live_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/process_names.hpp"

namespace dpm::cli {
namespace {

using view::MetricFamily;
using view::MetricSample;
using Labels = decltype(MetricSample::labels);

struct Program {
  std::string name;
  ProcessAmounts amounts;
  WaitCounts waits;
  std::uint64_t running = 0;  // processes and threads that have not ended

  void add(const Program& other) {
    amounts += other.amounts;
    waits += other.waits;
    running += other.running;
  }
};

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

Program of_process(const LevelsAnalysis& levels, const TraceInfo& info, ProcessId process) {
  const std::vector<RunTime> always = {{-(std::int64_t{1} << 61)}, {std::int64_t{1} << 61}};
  Program program;
  const bool is_thread = process.value < info.processes.size() && info[process].group.value < info.processes.size();
  const ProcessId named = is_thread ? info[process].group : process;
  program.name = named.value < info.processes.size() ? without_number(info[named].name) : "";
  program.amounts = levels.of(process, always).front();
  program.waits = levels.waits_of(process);
  const auto doing = levels.doing(process);
  program.running = doing != LevelsAnalysis::Doing::not_seen && doing != LevelsAnalysis::Doing::ended ? 1 : 0;
  return program;
}

// The program that used most CPU time first.
std::vector<Program> programs_in(const LevelsAnalysis& levels, const TraceInfo& info) {
  std::map<std::string, Program> by_name;
  for (std::uint32_t p = 0; p < levels.processes(); ++p) {
    const Program one = of_process(levels, info, ProcessId{p});
    Program& all = by_name[one.name];
    all.name = one.name;
    all.add(one);
  }
  std::vector<Program> programs;
  for (auto& [name, program] : by_name) programs.push_back(std::move(program));
  std::stable_sort(programs.begin(), programs.end(),
                   [](const Program& a, const Program& b) { return a.amounts.cpu_ns > b.amounts.cpu_ns; });
  if (programs.size() <= kProgramsShown) return programs;
  Program others;
  others.name = "others";
  for (std::size_t i = kProgramsShown; i < programs.size(); ++i) others.add(programs[i]);
  programs.resize(kProgramsShown);
  programs.push_back(std::move(others));
  return programs;
}

void append_histogram(std::vector<MetricSample>& samples, const Program& program) {
  const Labels labels = {{"program", program.name}};
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < program.waits.counts.size(); ++i) {
    so_far += program.waits.counts[i];
    const bool has_bound = i < WaitCounts::kBounds_ns.size();
    Labels bucket = labels;
    bucket.emplace_back("le", has_bound ? fmt::format("{}", seconds(WaitCounts::kBounds_ns[i])) : "+Inf");
    samples.push_back({std::move(bucket), static_cast<double>(so_far), "_bucket"});
  }
  samples.push_back({labels, seconds(program.waits.sum_ns), "_sum"});
  samples.push_back({labels, static_cast<double>(so_far), "_count"});
}

}  // namespace

std::vector<MetricFamily> live_metrics(const LevelsAnalysis& levels, const TraceInfo& info, const Ledger& ledger) {
  using enum MetricFamily::Type;
  const std::vector<Program> programs = programs_in(levels, info);
  Program sum;
  for (const Program& program : programs) sum.add(program);
  const auto number = [](auto value) { return std::vector<MetricSample>{{{}, static_cast<double>(value), ""}}; };
  const auto of_each = [&programs](auto&& value_of) {
    std::vector<MetricSample> samples;
    for (const Program& program : programs)
      samples.push_back({{{"program", program.name}}, static_cast<double>(value_of(program)), ""});
    return samples;
  };
  MetricFamily waits{"dpm_wait_seconds", "Waits for a message that came, by program.", histogram, {}};
  for (const Program& program : programs) append_histogram(waits.samples, program);
  return {
      {"dpm_events_total", "Events read.", counter, number(levels.events())},
      {"dpm_events_lost_total", "Events that were lost.", counter, number(ledger.lost)},
      {"dpm_messages_sent_total", "SENDs of all processes.", counter, number(sum.amounts.sent)},
      {"dpm_sent_bytes_total", "Bytes of these.", counter, number(sum.amounts.sent_bytes)},
      {"dpm_messages_received_total", "RECEIVEs of all processes.", counter, number(sum.amounts.received)},
      {"dpm_cpu_seconds_total", "CPU time of all processes.", counter, number(seconds(sum.amounts.cpu_ns))},
      {"dpm_waiting_seconds_total", "Time that processes waited.", counter, number(seconds(sum.amounts.waiting_ns))},
      {"dpm_program_cpu_seconds_total", "CPU time by program.", counter,
       of_each([](const Program& program) { return seconds(program.amounts.cpu_ns); })},
      {"dpm_program_messages_sent_total", "SENDs by program.", counter,
       of_each([](const Program& program) { return program.amounts.sent; })},
      {"dpm_program_messages_received_total", "RECEIVEs by program.", counter,
       of_each([](const Program& program) { return program.amounts.received; })},
      {"dpm_program_running", "Processes and threads of a program that have not ended.", gauge,
       of_each([](const Program& program) { return program.running; })},
      std::move(waits),
      {"dpm_processes", "Processes and threads with events.", gauge, number(levels.processes())},
      {"dpm_levels_bytes", "Memory of sums over time.", gauge, number(levels.bytes())}};
}

}  // namespace dpm::cli
